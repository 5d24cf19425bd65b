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

// FuzzPackedIndex compares the formulas with counts of the elements of the upper triangle, taken from
// the lengths of its rows. The orders are small enough for the number of elements to fit an int.
func FuzzPackedIndex(f *testing.F) {
	for _, n := range []uint32{0, 1, 2, 3, 64, 65, 46340, 46341} {
		f.Add(n, n/2, n)
	}
	f.Fuzz(func(t *testing.T, order, row, column uint32) {
		n := int(order % 30000) // a 32-bit int can count the elements
		if PackedLen(n) != n*n-PackedLen(n-1) || PackedRow(n, 0) != 0 {
			t.Fatalf("n=%d: Len = %d, PackedRow(0) = %d", n, PackedLen(n), PackedRow(n, 0))
		}
		if n == 0 {
			return
		}
		i, j := int(row)%n, int(column)%n
		// The rows before row i have n, n-1, ..., n-i+1 elements.
		before := PackedLen(n) - PackedLen(n-i)
		lo, hi := min(i, j), max(i, j)
		if got := PackedRow(n, i) + i; got != before {
			t.Fatalf("n=%d: row %d begins at %d, want %d", n, i, got, before)
		}
		if got, want := PackedIndex(n, i, j), PackedLen(n)-PackedLen(n-lo)+hi-lo; got != want || PackedIndex(n, j, i) != want {
			t.Fatalf("n=%d: element (%d,%d) at %d and %d, want %d", n, i, j, got, PackedIndex(n, j, i), want)
		}
	})
}
