package packed

import "testing"

// FuzzIndex counts the elements of the upper triangle from any row on and compares with the formula: for
// orders of which the number of elements does not overflow, the first, the diagonal and the last element
// of a row, from the lengths of the rows before.
func FuzzIndex(f *testing.F) {
	for _, n := range []uint32{0, 1, 2, 3, 64, 65, 46340, 46341} {
		f.Add(n, n/2, n)
	}
	f.Fuzz(func(t *testing.T, order, row, column uint32) {
		n := int(order % 30000) // whose elements an int of 32 bits counts
		if Len(n) != n*n-Len(n-1) || Row(n, 0) != 0 {
			t.Fatalf("n=%d: Len = %d, Row(0) = %d", n, Len(n), Row(n, 0))
		}
		if n == 0 {
			return
		}
		i, j := int(row)%n, int(column)%n
		// The rows before row i have n, n-1, ..., n-i+1 elements.
		before := Len(n) - Len(n-i)
		lo, hi := min(i, j), max(i, j)
		if got := Row(n, i) + i; got != before {
			t.Fatalf("n=%d: row %d begins at %d, want %d", n, i, got, before)
		}
		if got, want := Index(n, i, j), Len(n)-Len(n-lo)+hi-lo; got != want || Index(n, j, i) != want {
			t.Fatalf("n=%d: element (%d,%d) at %d and %d, want %d", n, i, j, got, Index(n, j, i), want)
		}
	})
}
