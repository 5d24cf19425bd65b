package gemm

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// A triangle is T = op(A) for a triangular A, made lower triangular: T[i,j] = a[first+i*row+j*col],
// j <= i. Rows and columns of an upper triangle, and rows of its right-hand sides, count from the last
// one (backwards). The other half of A is never read, nor is the diagonal if unit.
type triangle struct {
	engine          *Engine
	a               []float64
	first, row, col int
	order           int
	backwards, unit bool
}

// newTriangle returns op(A) of order n.
func newTriangle(e *Engine, ul blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []float64, lda int) triangle {
	x := triangle{engine: e, a: a, row: lda, col: 1, order: n, unit: d == blas.Unit}
	if t != blas.NoTrans {
		x.row, x.col = x.col, x.row
	}
	if (ul == blas.Upper) == (t == blas.NoTrans) {
		x.first, x.row, x.col, x.backwards = (n-1)*(lda+1), -x.row, -x.col, true
	}
	return x
}

// at returns the place of T[i,j] in the storage.
func (t *triangle) at(i, j int) int { return t.first + i*t.row + j*t.col }

// A rhsPanel is a panel of right-hand sides: row i of the triangle has n columns at x[first+i*ld].
type rhsPanel struct {
	x         []float64
	first, ld int
	n         int
}

// A diagonal is a block of T on the diagonal, as the kernels want it.
type diagonal struct {
	i0, i1 int
	values []float64 // the diagonal, or its reciprocals; nil for ones
	divide bool      // a reciprocal would overflow: values are the diagonal
}

// diagonal returns the block of rows i0 to i1. values is storage for its diagonal.
func (t *triangle) diagonal(i0, i1 int, solve bool, values []float64) diagonal {
	d := diagonal{i0: i0, i1: i1}
	if t.unit {
		return d
	}
	d.values = values[:i1-i0]
	for i := range d.values {
		d.values[i] = t.a[t.at(i0+i, i0+i)]
		// Reciprocals beyond these overflow or lose digits; zero, NaN and Inf do no harm.
		if v := math.Abs(d.values[i]); v > 0 && v < 0x1p-1022 || v > 0x1p1021 && v <= math.MaxFloat64 {
			d.divide = solve
		}
	}
	if solve && !d.divide {
		for i, v := range d.values {
			d.values[i] = 1 / v
		}
	}
	return d
}

// element returns the address of element i of the diagonal, nil for ones.
func (d *diagonal) element(i int) *float64 {
	if d.values == nil {
		return nil
	}
	return &d.values[i]
}
