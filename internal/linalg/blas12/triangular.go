package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// A triangular multiplies a vector by a triangular matrix, or solves a triangular system, in place.
type triangular struct {
	*Routines
	oneTriangle
	transposed, unit, solve bool
}

// checkTriangular checks the arguments that all six triangular routines share, except for the slices,
// and reports whether the matrix is nonempty. k is 0 unless the matrix is a band. far reports whether
// the leading dimension is large enough.
func checkTriangular(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, far bool, incX int) bool {
	check.Uplo(ul)
	check.Transpose(tA)
	check.Diag(d)
	check.Require(n >= 0, check.NLT0)
	check.Require(k >= 0, check.KLT0)
	check.Require(far, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	return n > 0
}

// do overwrites the vector x with the product or solution.
func (s *triangular) do(tA blas.Transpose, d blas.Diag, x []float64, incX int) {
	n := s.n
	check.Vector(len(x), n, incX, check.ShortX)
	s.transposed, s.unit = tA != blas.NoTrans, d == blas.Unit
	u := gather(n, x, incX)
	switch {
	case n < minBlocks || s.growth != 0 || s.k < n-1:
		s.rows(0, n, u.v)
	case s.forward():
		for i := 0; i < n; i += blockRows {
			s.block(i, u.v)
		}
	default:
		for i := (n - 1) / blockRows * blockRows; i >= 0; i -= blockRows {
			s.block(i, u.v)
		}
	}
	u.scatter(x, incX)
}

// minBlocks is the order from which on blocks of rows of a full triangle are faster than single rows.
const minBlocks = 32

// forward reports whether rows are processed from first to last. A row of A reads elements of x that a
// solve has found, or that a product has not yet overwritten. With Aᵀ, a row changes the others.
func (s *triangular) forward() bool { return (s.ul == blas.Upper) == (s.transposed == s.solve) }

// block processes the block of rows that starts at row i: the triangle on the diagonal, and the
// rectangle next to it. Its product uses elements of x outside the block; with Aᵀ it changes them.
func (s *triangular) block(i int, x []float64) {
	end := min(i+blockRows, s.n)
	rectangleFirst := s.solve != s.transposed
	if !rectangleFirst {
		s.rows(i, end, x)
	}
	if left, right := s.offDiagonal(i, end); left < right {
		sign := 1.0
		if s.solve {
			sign = -1
		}
		lda, _ := s.distances(i)
		if rectangle := &s.a[s.at(i, left)]; s.transposed {
			s.kernel.GemvT(end-i, right-left, sign, rectangle, lda, &x[i], 1, 1, &x[left])
		} else {
			s.kernel.GemvN(end-i, right-left, sign, rectangle, lda, &x[left], 1, &x[i], 1)
		}
	}
	if rectangleFirst {
		s.rows(i, end, x)
	}
}

// rows processes rows [from, to) of the triangle, but only their elements in columns [from, to).
func (s *triangular) rows(from, to int, x []float64) {
	i, next := from, 1
	step, growth := s.step+s.growth*i, s.growth
	if !s.forward() {
		i, next = to-1, -1
		step = -(s.step + s.growth*(i-1))
	}
	for at := s.at(i, i); from <= i && i < to; i += next {
		left, right := max(from, i-s.k), i
		if s.ul == blas.Upper {
			left, right = i+1, min(to, i+1+s.k)
		}
		beside := x[left:right]
		row, v := s.a[at+left-i:][:len(beside)], x[i]
		switch {
		case s.transposed && s.solve:
			if !s.unit {
				v /= s.a[at]
			}
			s.axpy(-v, row, beside)
		case s.transposed:
			s.axpy(v, row, beside)
			if !s.unit {
				v *= s.a[at]
			}
		case s.solve:
			v -= s.dot(row, beside)
			if !s.unit {
				v /= s.a[at]
			}
		default:
			if !s.unit {
				v = float64(v * s.a[at])
			}
			v += s.dot(row, beside)
		}
		x[i] = v
		at, step = at+step, step+growth
	}
}
