// Package block describes blocks of dense or packed matrices, and products and solves with them.
//
// The rows of a packed upper triangle are contiguous, and each is one element shorter than the row
// before. Therefore the distance between rows falls by one with each row. Otherwise a block of a packed
// triangle is like a dense block.
package block

import "gonum.org/v1/gonum/blas"

// Size is the order of the blocks that go through a workspace. Triangular solves up to this order are
// not halved. It is large enough for a product to reach full speed and to hide the cost of the copies.
const Size = 192

// A Matrix is a block of rows and columns: element (i, j) is X[Row(i)+j].
type Matrix struct {
	X      []float64
	Ld     int  // distance between the first two rows
	Packed bool // the distance falls by one with each row; otherwise it is Ld for all rows
}

// Dense returns the block that begins at x in a matrix with rows ld apart.
func Dense(x []float64, ld int) Matrix { return Matrix{X: x, Ld: ld} }

// Packed returns the block that begins at (i, j), i <= j, of the n×n packed upper triangle ap.
func Packed(n int, ap []float64, i, j int) Matrix {
	return Matrix{X: ap[PackedRow(n, i)+j:], Ld: n - i - 1, Packed: true}
}

// Row returns the offset of row i in X. i may be one past the last row.
func (m Matrix) Row(i int) int {
	if m.Packed {
		return i*m.Ld - i*(i-1)/2
	}
	return i * m.Ld
}

// Down returns step, the distance from row i to the next row, and change, the change of step from row
// to row. A loop down a column adds step to its index, and then change to step.
func (m Matrix) Down(i int) (step, change int) {
	if m.Packed {
		return m.Ld - i, -1
	}
	return m.Ld, 0
}

// Elements returns the elements [from, to) of row i.
func (m Matrix) Elements(i, from, to int) []float64 {
	at := m.Row(i)
	return m.X[at+from : at+to]
}

// Sub returns the block that begins at (i, j).
func (m Matrix) Sub(i, j int) Matrix {
	m.X = m.X[m.Row(i)+j:]
	if m.Packed {
		m.Ld -= i
	}
	return m
}

// Copy copies the rows×cols block src to dst.
func Copy(dst, src Matrix, rows, cols int) {
	for i := range rows {
		copy(dst.X[dst.Row(i):], src.Elements(i, 0, cols))
	}
}

// CopyUpper copies the upper triangle of the n×n block src, with the diagonal, to dst.
func CopyUpper(dst, src Matrix, n int) {
	for i := range n {
		copy(dst.X[dst.Row(i)+i:], src.Elements(i, i, n))
	}
}

// CopyTransposed copies the transpose of the rows×cols block src to the dense block dst. It copies
// eight rows at a time, which fill whole cache lines of dst.
func CopyTransposed(dst, src Matrix, rows, cols int) {
	i := 0
	row := func(i int) []float64 { return src.Elements(i, 0, cols)[:cols] }
	for ; i+8 <= rows; i += 8 {
		a0, a1, a2, a3 := row(i), row(i+1), row(i+2), row(i+3)
		a4, a5, a6, a7 := row(i+4), row(i+5), row(i+6), row(i+7)
		for j := range cols {
			d := (*[8]float64)(dst.X[j*dst.Ld+i:])
			d[0], d[1], d[2], d[3] = a0[j], a1[j], a2[j], a3[j]
			d[4], d[5], d[6], d[7] = a4[j], a5[j], a6[j], a7[j]
		}
	}
	for ; i < rows; i++ {
		for j, x := range src.Elements(i, 0, cols) {
			dst.X[j*dst.Ld+i] = x
		}
	}
}

// Stored returns the numbers of rows and columns of the stored matrix X for which op(X) is r×c.
func Stored(t blas.Transpose, r, c int) (rows, cols int) {
	if t == blas.NoTrans {
		return r, c
	}
	return c, r
}

// Other returns blas.Trans for blas.NoTrans, and blas.NoTrans otherwise.
func Other(t blas.Transpose) blas.Transpose { return Trans(t == blas.NoTrans) }

// Trans returns blas.Trans if t is set, and blas.NoTrans otherwise.
func Trans(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}
