// Package block describes blocks of matrices in either storage, dense or packed, and the products and
// triangular solves of such blocks, of which the factorizations of package lapack consist.
//
// Rows of a packed upper triangle are contiguous, and each is one element closer to the one before than
// that is to its own. So a block of it, whose diagonal need not be that of the matrix, is nearly a
// dense matrix: the place of its rows is the only difference. What can read and write rows of both
// kinds does without unpacking.
package block

// A Matrix is a block of rows and columns: element (i, j) is X[Row(i)+j].
type Matrix struct {
	X      []float64
	Ld     int  // distance between the first two rows
	Packed bool // each row is one element closer to the one before; otherwise all are Ld apart
}

// Dense is the block that begins at x in a matrix with rows ld apart.
func Dense(x []float64, ld int) Matrix { return Matrix{X: x, Ld: ld} }

// Packed is the block that begins at (i, j), i <= j, of the n×n packed upper triangle ap.
func Packed(n int, ap []float64, i, j int) Matrix {
	return Matrix{X: ap[PackedRow(n, i)+j:], Ld: n - i - 1, Packed: true}
}

// Row returns the offset of row i, which may be one beyond the last.
func (m Matrix) Row(i int) int {
	if m.Packed {
		return i*m.Ld - i*(i-1)/2
	}
	return i * m.Ld
}

// Sub is the block that begins at (i, j).
func (m Matrix) Sub(i, j int) Matrix {
	s := Matrix{X: m.X[m.Row(i)+j:], Ld: m.Ld, Packed: m.Packed}
	if m.Packed {
		s.Ld -= i
	}
	return s
}

// Copy copies the rows×cols block src to dst.
func Copy(dst, src Matrix, rows, cols int) {
	for i := range rows {
		s := src.Row(i)
		copy(dst.X[dst.Row(i):], src.X[s:s+cols])
	}
}

// CopyUpper copies the upper triangle of the n×n block src, with the diagonal, to that of dst.
func CopyUpper(dst, src Matrix, n int) {
	for i := range n {
		s := src.Row(i)
		copy(dst.X[dst.Row(i)+i:], src.X[s+i:s+n])
	}
}
