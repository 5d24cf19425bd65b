package block

import (
	"math"
	"math/bits"
	"testing"
)

// TestPackedIndex counts the elements of the upper triangle one by one, in storage order, and
// compares every position with the formula.
func TestPackedIndex(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 23, 24, 64, 65, 2000} {
		next := 0
		for i := range n {
			for j := i; j < n; j++ {
				for k, got := range []int{PackedIndex(n, i, j), PackedIndex(n, j, i), PackedRow(n, i) + j} {
					if got != next {
						t.Fatalf("n=%d: (%d,%d), way %d: at %d, want %d", n, i, j, k, got, next)
					}
				}
				next++
			}
		}
		if PackedLen(n) != next {
			t.Fatalf("n=%d: Len = %d, want %d", n, PackedLen(n), next)
		}
	}
}

// TestPackedLenOverflow checks orders for which the number of elements overflows an int: no slice may
// seem to be long enough.
func TestPackedLenOverflow(t *testing.T) {
	const first = 1 << (bits.UintSize / 2)
	if got, want := PackedLen(first-1), math.MaxInt-first/2+1; got != want {
		t.Errorf("n=%d: %d elements, want %d", first-1, got, want)
	}
	for _, n := range []int{first, first + 1, first + first/2, 2 * first, math.MaxInt / 2, math.MaxInt - 1, math.MaxInt} {
		if got := PackedLen(n); got != math.MaxInt {
			t.Errorf("n=%d: %d elements, want the largest int", n, got)
		}
	}
}
