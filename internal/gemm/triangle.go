package gemm

import (
	"math"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// A triangle is T = op(A), or T backwards, for a triangular A: T[i,j] = a[first+i*row+j*col], j <= i,
// is lower triangular whatever A is. An upper triangle is a lower one of which rows and columns are
// counted from the last, and so are then the rows of what it is applied to. The other half of A is
// never read, nor is the diagonal if unit.
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

// A band is rows of X, the matrix to which a triangle is applied: row i, counted as the triangle
// counts, and n columns of it begin at x[first+i*ld].
type band struct {
	x         []float64
	first, ld int
	n         int
}

// diagonal is a block of T on the diagonal, as the kernels want it.
type diagonal struct {
	i0, i1 int
	values []float64 // the diagonal, or its reciprocals; nil if it is ones
	divide bool      // a reciprocal is not to be had: values are the diagonal
}

// diagonal returns the block of rows i0 to i1. values is room for its diagonal.
func (t *triangle) diagonal(i0, i1 int, solve bool, values []float64) diagonal {
	d := diagonal{i0: i0, i1: i1}
	if t.unit {
		return d
	}
	d.values = values[:i1-i0]
	for i := range d.values {
		d.values[i] = t.a[t.at(i0+i, i0+i)]
		// Beyond these the reciprocal overflows or loses digits. Zero, NaN and Inf give the same either
		// way.
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

// multiply overwrites the rows of a diagonal block in a band by their product with the block: the last
// strip first, because each needs those before it as they were.
func (t *triangle) multiply(d diagonal, x band) {
	k := &t.engine.kernel
	rows := d.i1 - d.i0
	for i := (rows - 1) / k.MR * k.MR; i >= 0; i -= k.MR {
		m := min(k.MR, rows-i)
		strip := &x.x[x.first+i*x.ld]
		k.Multiply(m, x.n, &t.a[t.at(d.i0+i, d.i0+i)], t.row, t.col, d.element(i), strip, x.ld)
		if i > 0 {
			k.Gemm(m, x.n, i, 1, &t.a[t.at(d.i0+i, d.i0)], t.row, t.col, kernel.Even, &x.x[x.first], x.ld, k.NR, kernel.Add, strip, x.ld)
		}
	}
}

// solve overwrites the rows of a diagonal block in a band by the solution of the block's equations.
func (t *triangle) solve(d diagonal, x band) {
	k := &t.engine.kernel
	rows := d.i1 - d.i0
	for i := 0; i < rows; i += k.MR {
		m := min(k.MR, rows-i)
		strip := &x.x[x.first+i*x.ld]
		if i > 0 {
			k.Gemm(m, x.n, i, -1, &t.a[t.at(d.i0+i, d.i0)], t.row, t.col, kernel.Even, &x.x[x.first], x.ld, k.NR, kernel.Add, strip, x.ld)
		}
		if d.divide {
			t.substitute(d.i0+i, m, x, i)
		} else {
			k.Solve(m, x.n, &t.a[t.at(d.i0+i, d.i0+i)], t.row, t.col, d.element(i), strip, x.ld)
		}
	}
}

// element returns the address of element i of the diagonal, nil if it is ones.
func (d *diagonal) element(i int) *float64 {
	if d.values == nil {
		return nil
	}
	return &d.values[i]
}

// substitute solves for the m rows from i0 of T, which are the rows from i of a band, by division.
func (t *triangle) substitute(i0, m int, x band, i int) {
	row := func(r int) []float64 {
		at := x.first + (i+r)*x.ld
		return x.x[at : at+x.n]
	}
	for r := range m {
		xr := row(r)
		for s := range r {
			f := t.a[t.at(i0+r, i0+s)]
			for j, v := range row(s) {
				xr[j] -= f * v
			}
		}
		d := t.a[t.at(i0+r, i0+r)]
		for j := range xr {
			xr[j] /= d
		}
	}
}
