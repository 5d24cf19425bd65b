package speed

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// reference computes what results are compared with, by its Level 2.
var reference gonum.Implementation

// A matrix is row-major and without gaps between rows.
type matrix struct {
	rows, cols int
	data       []float64
}

func newMatrix(rows, cols int) matrix { return matrix{rows, cols, make([]float64, rows*cols)} }

// ld returns the leading dimension.
func (a matrix) ld() int { return max(1, a.cols) }

// times returns op(A)·t.
func (a matrix) times(op blas.Transpose, t []float64) []float64 {
	y := make([]float64, a.rows)
	if op != blas.NoTrans {
		y = make([]float64, a.cols)
	}
	reference.Dgemv(op, a.rows, a.cols, 1, a.data, a.ld(), t, 1, 0, y, 1)
	return y
}

// symTimes returns S·t for the symmetric S of which A has the given triangle.
func (a matrix) symTimes(ul blas.Uplo, t []float64) []float64 {
	y := make([]float64, a.rows)
	reference.Dsymv(ul, a.rows, 1, a.data, a.ld(), t, 1, 0, y, 1)
	return y
}

// triTimes returns op(T)·t for the triangular T that is the given triangle of A.
func (a matrix) triTimes(ul blas.Uplo, op blas.Transpose, t []float64) []float64 {
	y := append([]float64(nil), t...)
	reference.Dtrmv(ul, op, blas.NonUnit, a.rows, a.data, a.ld(), y, 1)
	return y
}

// packedTimes returns S·t for the symmetric S of order n of which ap has the given triangle.
func packedTimes(ul blas.Uplo, n int, ap, t []float64) []float64 {
	y := make([]float64, n)
	reference.Dspmv(ul, n, 1, ap, t, 1, 0, y, 1)
	return y
}

// A source draws operands.
type source struct{ *rand.Rand }

func newSource(seed uint64) *source { return &source{rand.New(rand.NewPCG(seed, 0))} }

// vector returns n elements, uniform in [-1/2, 1/2).
func (r *source) vector(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Float64() - 0.5
	}
	return x
}

func (r *source) matrix(rows, cols int) matrix { return matrix{rows, cols, r.vector(rows * cols)} }

// operand returns A such that op(A) is rows×cols.
func (r *source) operand(op blas.Transpose, rows, cols int) matrix {
	if op != blas.NoTrans {
		rows, cols = cols, rows
	}
	return r.matrix(rows, cols)
}

// signs returns n times 1 or -1.
func (r *source) signs(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(1 - 2*r.IntN(2))
	}
	return t
}

// The triangular matrices are I + E, where the elements of E in one row, or in one column, add up to
// spread at most in absolute value. One product or solution by them changes the largest element by a
// factor between 1 - spread and 1/(1 - spread), so mostInPlace of them by one of no more than
// (1 - 1/16)^-4096 < 10^115, or the inverse of that.
const (
	spread      = 1.0 / 16
	mostInPlace = 4096
	mostCalls   = 1 << 30 // of operations that do not read what they overwrite
)

// nearIdentity returns I + E: n off-diagonal elements of E make at most spread/2 in a row or column,
// and its diagonal is at most spread/2.
func (r *source) nearIdentity(n int) matrix {
	a := r.matrix(n, n)
	for i := range a.data {
		a.data[i] *= spread / float64(n)
	}
	for i := range n {
		a.data[i*n+i] = 1 + spread*(r.Float64()-0.5)
	}
	return a
}
