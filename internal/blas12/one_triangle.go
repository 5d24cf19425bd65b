package blas12

import (
	"math"

	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A oneTriangle is a symmetric matrix of which one triangle is there, full or packed.
type oneTriangle struct {
	ul  blas.Uplo
	n   int
	a   []float64
	lda int // 0 if packed
}

// at returns the index in a of element (i,j), which is in the triangle, or of what is behind the last
// one of row i.
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

// distances returns how far row i+1 is from row i, in one column, and how much farther each row after
// it is from the one before.
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

// elements is the number of elements of the triangle.
func (t *oneTriangle) elements() int { return block.PackedLen(t.n) }

// begin returns the first row of piece i of so many with about as many elements each, a multiple of
// blockRows, and n for i = count. Of a lower triangle the first x·n rows have x² of the elements.
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

// beside returns the range of columns beside the square on the diagonal from row i to row end.
func (t *oneTriangle) beside(i, end int) (from, to int) {
	if t.ul == blas.Upper {
		return end, t.n
	}
	return 0, i
}

// within returns the range of columns of row p in the square on the diagonal from row i to row end,
// without the diagonal.
func (t *oneTriangle) within(p, i, end int) (from, to int) {
	if t.ul == blas.Upper {
		return p + 1, end
	}
	return i, p
}
