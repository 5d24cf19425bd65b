package block

import "testing"

// FuzzPackedIndex counts the elements of the upper triangle from any row on and compares with the
// formula: for orders of which the number of elements does not overflow, the first, the diagonal and
// the last element of a row, from the lengths of the rows before.
func FuzzPackedIndex(f *testing.F) {
	for _, n := range []uint32{0, 1, 2, 3, 64, 65, 46340, 46341} {
		f.Add(n, n/2, n)
	}
	f.Fuzz(func(t *testing.T, order, row, column uint32) {
		n := int(order % 30000) // whose elements an int of 32 bits counts
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
