package blas12

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// A oneTriangle is one triangle of a matrix, stored row by row: full, packed or banded. Row i holds the
// diagonal element and at most k others, before it in a lower triangle and after it in an upper one.
type oneTriangle struct {
	ul           blas.Uplo
	n, k         int
	a            []float64
	origin       int // index of the first diagonal element
	step, growth int // distance from diagonal element 0 to 1, and its increase with each row
}

// full, packed and band set t in place, since a copy would have to wait for the stores to its fields.

// full sets t to the triangle ul of an n×n matrix with rows lda apart.
func (t *oneTriangle) full(ul blas.Uplo, n int, a []float64, lda int) {
	t.ul, t.n, t.k, t.a, t.step = ul, n, n-1, a, lda+1
}

func (t *oneTriangle) packed(ul blas.Uplo, n int, ap []float64) {
	t.ul, t.n, t.k, t.a, t.step, t.growth = ul, n, n-1, ap, 2, 1
	if ul == blas.Upper {
		t.step, t.growth = n, -1
	}
}

// band sets t to a triangle with k superdiagonals or k subdiagonals. In storage each row starts with
// its diagonal element or, in a lower triangle, ends with it at index k.
func (t *oneTriangle) band(ul blas.Uplo, n, k int, a []float64, lda int) {
	t.ul, t.n, t.k, t.a, t.step = ul, n, k, a, lda
	if ul == blas.Lower {
		t.origin = k
	}
}

// at returns the index in a of element (i,j) of the triangle; j may be the end of row i.
func (t *oneTriangle) at(i, j int) int { return t.origin + i*t.step + t.growth*(i*(i-1)/2) + j - i }

// distances returns the distance in a from row i to row i+1 within one column, and the growth of
// this distance from row to row.
func (t *oneTriangle) distances(i int) (lda, growth int) {
	return t.step - 1 + t.growth*i, t.growth
}

// row returns the off-diagonal elements of row i in columns [from, to), and the column of the first. at
// is the index in a of the diagonal element of row i.
func (t *oneTriangle) row(i, at, from, to int) (elements []float64, first int) {
	if t.ul == blas.Upper {
		m := min(t.k, to-1-i)
		return t.a[at+1 : at+1+m], i + 1
	}
	m := min(t.k, i-from)
	return t.a[at-m : at], i - m
}

func (t *oneTriangle) elements() int { return block.PackedLen(t.n) }

// firstRow returns the first row of piece i out of count: a multiple of blockRows, or n if i = count.
// Pieces are about equally large: the first x·n rows of a lower triangle hold a fraction x² of it.
func (t *oneTriangle) firstRow(i, count int) int {
	x := math.Sqrt(float64(i) / float64(count))
	if t.ul == blas.Upper {
		x = 1 - math.Sqrt(float64(count-i)/float64(count))
	}
	if i == count {
		return t.n
	}
	return int(x*float64(t.n)) / blockRows * blockRows
}

// offDiagonal returns the columns [from, to) of rows [i, end) outside their diagonal block.
func (t *oneTriangle) offDiagonal(i, end int) (from, to int) {
	if t.ul == blas.Upper {
		return end, t.n
	}
	return 0, i
}

// blockRows is the number of rows of a triangle in one block, as many as GemvT processes at once.
const blockRows = kernel.SymvRows

// shortRow and shortSum are the lengths below which a Go loop is faster than the kernel's Axpy and Dot.
const (
	shortRow = 16
	shortSum = 8
)

// axpy adds alpha*x[j] to y[j] for all elements of x.
func (r *Routines) axpy(alpha float64, x, y []float64) {
	if len(x) >= shortRow {
		r.kernel.Axpy(len(x), alpha, &x[0], &y[0])
		return
	}
	y = y[:len(x)]
	for j, v := range x {
		y[j] += float64(alpha * v)
	}
}

// dot returns the sum of x[j]*y[j] for all elements of x.
func (r *Routines) dot(x, y []float64) (sum float64) {
	if len(x) >= shortSum {
		return r.kernel.Dot(len(x), &x[0], &y[0])
	}
	y = y[:len(x)]
	for j, v := range x {
		sum += float64(v * y[j])
	}
	return sum
}

// dotAxpyShort returns the sum of row[j]*x[j], and adds t*row[j] to y[j], for all elements of row.
func dotAxpyShort(t float64, row, x, y []float64) (sum float64) {
	x, y = x[:len(row)], y[:len(row)]
	for j, v := range row {
		sum += float64(v * x[j])
		y[j] += float64(t * v)
	}
	return sum
}
