package block

import (
	"math"
	"math/bits"
	"testing"
)

// TestPackedIndex counts the elements of the upper triangle one by one, in storage order, and
// compares every position with the formula, for all n up to 24.
func TestPackedIndex(t *testing.T) {
	for n := range 25 {
		next := 0
		for i := range n {
			for j := i; j < n; j++ {
				if got := PackedIndex(n, i, j); got != next {
					t.Fatalf("n=%d: element (%d,%d) at %d, want %d", n, i, j, got, next)
				}
				if got := PackedIndex(n, j, i); got != next {
					t.Fatalf("n=%d: mirrored element (%d,%d) at %d, want %d", n, j, i, got, next)
				}
				if got := PackedRow(n, i) + j; got != next {
					t.Fatalf("n=%d: PackedRow(%d)+%d = %d, want %d", n, i, j, got, next)
				}
				next++
			}
		}
		if PackedLen(n) != next {
			t.Fatalf("n=%d: Len = %d, want %d", n, PackedLen(n), next)
		}
	}
}

// TestPackedLenOverflow has orders of which the number of elements is more than an int: no slice may
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
