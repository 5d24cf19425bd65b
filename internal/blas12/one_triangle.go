package blas12

import (
	"math"

	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A oneTriangle is a symmetric matrix with one stored triangle, full or packed.
type oneTriangle struct {
	ul  blas.Uplo
	n   int
	a   []float64
	lda int // 0 if packed
}

// at returns the index in a of element (i,j) of the triangle, or of the end of row i.
func (t *oneTriangle) at(i, j int) int {
	switch {
	case t.lda > 0:
		return i*t.lda + j
	case t.ul == blas.Upper:
		return block.PackedRow(t.n, i) + j
	default:
		return block.PackedLen(i) + j
	}
}

// distances returns the distance between rows i and i+1 in one column, and by how much it grows from
// row to row.
func (t *oneTriangle) distances(i int) (lda, step int) {
	switch {
	case t.lda > 0:
		return t.lda, 0
	case t.ul == blas.Upper:
		return t.n - i - 1, -1
	default:
		return i + 1, 1
	}
}

// elements returns the number of elements of the triangle.
func (t *oneTriangle) elements() int { return block.PackedLen(t.n) }

// begin returns the first row, a multiple of blockRows, of piece i of count pieces with about as many
// elements each, and n for i = count. The first x·n rows of a lower triangle have x² of its elements.
func (t *oneTriangle) begin(i, count int) int {
	x := math.Sqrt(float64(i) / float64(count))
	if t.ul == blas.Upper {
		x = 1 - math.Sqrt(float64(count-i)/float64(count))
	}
	if i == count {
		return t.n
	}
	return int(x*float64(t.n)) / blockRows * blockRows
}

// beside returns the columns beside the diagonal square of rows i to end.
func (t *oneTriangle) beside(i, end int) (from, to int) {
	if t.ul == blas.Upper {
		return end, t.n
	}
	return 0, i
}

// within returns the columns of row p in the diagonal square of rows i to end, without the diagonal.
func (t *oneTriangle) within(p, i, end int) (from, to int) {
	if t.ul == blas.Upper {
		return p + 1, end
	}
	return i, p
}

// blockRows is the number of rows of a triangle in one block, as many as GemvT processes at once. Plain
// Go does the triangle on the diagonal, kernels the rectangle beside it.
const blockRows = 8

// shortRow is the length of a row below which a loop in Go is faster than a kernel.
const shortRow = 8

// axpyShort adds alpha*x[j] to y[j] for all elements of x.
func axpyShort(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] += alpha * v
	}
}
