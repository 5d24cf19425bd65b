package speed

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// reference computes what results are compared with, by its Level 2.
var reference gonum.Implementation

// A form is a way to store a matrix: the length of the slice, its leading dimension, and the product
// of the matrix with a vector.
type form struct {
	length, ld int
	times      func(data, t []float64) []float64
}

// general is the form of a row-major A for which op(A), rows×cols, is the matrix.
func general(op blas.Transpose, rows, cols int) form {
	m, n := rows, cols
	if op != blas.NoTrans {
		m, n = cols, rows
	}
	return form{m * n, n, func(data, t []float64) []float64 {
		y := make([]float64, rows)
		reference.Dgemv(op, m, n, 1, data, n, t, 1, 0, y, 1)
		return y
	}}
}

// symmetric is the form of a row-major matrix of order n of which one triangle is read.
func symmetric(ul blas.Uplo, n int) form {
	return form{n * n, n, func(data, t []float64) []float64 {
		y := make([]float64, n)
		reference.Dsymv(ul, n, 1, data, n, t, 1, 0, y, 1)
		return y
	}}
}

// packed is the form of one packed triangle of a symmetric matrix of order n.
func packed(ul blas.Uplo, n int) form {
	return form{n * (n + 1) / 2, n, func(data, t []float64) []float64 {
		y := make([]float64, n)
		reference.Dspmv(ul, n, 1, data, t, 1, 0, y, 1)
		return y
	}}
}

// triangular is the form of a row-major T of order n for which op(T) is the matrix.
func triangular(ul blas.Uplo, op blas.Transpose, n int) form {
	return form{n * n, n, func(data, t []float64) []float64 {
		y := append([]float64(nil), t...)
		reference.Dtrmv(ul, op, blas.NonUnit, n, data, n, y, 1)
		return y
	}}
}

// norm returns the largest sum of absolute values of a row of a matrix with n columns, or NaN.
func (f form) norm(data []float64, n int) float64 {
	magnitudes, ones := make([]float64, len(data)), make([]float64, n)
	for i, v := range data {
		magnitudes[i] = math.Abs(v)
	}
	for i := range ones {
		ones[i] = 1
	}
	return largest(f.times(magnitudes, ones))
}

// largest returns the largest absolute value, or NaN if there is one.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = math.Max(most, math.Abs(v))
	}
	return most
}

// An operand is a matrix.
type operand struct {
	form
	data []float64
}

// by returns the product of the matrix with t.
func (a operand) by(t []float64) []float64 { return a.times(a.data, t) }

// zero returns a matrix of zeros.
func (f form) zero() operand { return operand{f, make([]float64, f.length)} }

// copied returns a copy.
func (a operand) copied() operand { return operand{a.form, append([]float64(nil), a.data...)} }

// An operator multiplies a vector by a matrix.
type operator func(t []float64) []float64

// product returns the operator A·B, or for the right side B·A.
func product(side blas.Side, a, b operator) operator {
	if side == blas.Right {
		a, b = b, a
	}
	return func(t []float64) []float64 { return a(b(t)) }
}

// A source draws operands.
type source struct{ *rand.Rand }

// draw returns a matrix with elements that are uniform in [-1/2, 1/2).
func (r source) draw(f form) operand {
	a := f.zero()
	for i := range a.data {
		a.data[i] = float64(r.Float64()) - 0.5
	}
	return a
}

// signs returns n times 1 or -1.
func (r source) signs(n int) []float64 {
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

// nearIdentity returns I + E of order n: off-diagonal elements of E make at most spread/2 in a row or
// column, and its diagonal is at most spread/2.
func (r source) nearIdentity(f form, n int) operand {
	a := r.draw(f)
	for i := range a.data {
		a.data[i] *= spread / float64(n)
	}
	for i := range n {
		a.data[i*n+i] = 1 + float64(spread*(float64(r.Float64())-0.5))
	}
	return a
}
