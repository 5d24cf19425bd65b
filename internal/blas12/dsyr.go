package blas12

import (
	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// Dsyr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which the triangle ul is read and written. With
// alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or three
// roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	check.Ld(lda, n, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	if n == 0 {
		return
	}
	check.Vector(len(x), n, incX, check.ShortX)
	check.Length(len(a), n, n, lda, check.ShortA)
	if alpha == 0 {
		return
	}
	u := gather(n, x, incX)
	s := symmetricUpdate{Routines: r, oneTriangle: oneTriangle{ul, n, a, lda}, alpha: alpha, x: u.v}
	s.add()
	u.release()
}

// full adds rows from to to of the update to a full matrix.
func (s *symmetricUpdate) full(from, to int) {
	x := s.x
	for i := from; i < to; i += blockRows {
		end := min(i+blockRows, to)
		for p := i; p < end; p++ {
			left, right := s.within(p, i, end)
			left, right = min(left, p), max(right, p+1) // with the diagonal
			axpyShort(s.alpha*x[p], x[left:right], s.a[s.at(p, left):])
		}
		if left, right := s.beside(i, end); left < right {
			s.kernel.Ger(end-i, right-left, s.alpha, &x[i], 1, &x[left], &s.a[s.at(i, left)], s.lda)
		}
	}
}
