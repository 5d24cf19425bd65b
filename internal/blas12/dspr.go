package blas12

import (
	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// Dspr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A of which ap holds the triangle ul, packed by rows: n(n+1)/2 numbers.
// With alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or
// three roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	if n < smallTriangle {
		checkApart(n, incX)
		r.Implementation.Dspr(ul, n, alpha, x, incX, ap)
		return
	}
	check.Uplo(ul)
	check.Require(incX != 0, check.ZeroIncX)
	check.Vector(len(x), n, incX, check.ShortX)
	check.Packed(len(ap), n)
	if alpha == 0 {
		return
	}
	u := gather(n, x, incX)
	s := symmetricUpdate{Routines: r, oneTriangle: oneTriangle{ul, n, ap, 0}, alpha: alpha, x: u.v}
	s.add()
	u.release()
}

// packed adds rows from to to of the update to a packed matrix.
func (s *symmetricUpdate) packed(from, to int) {
	for p := from; p < to; p++ {
		left, right := s.within(p, 0, s.n)
		left, right = min(left, p), max(right, p+1) // with the diagonal
		along, row := s.x[left:right], s.a[s.at(p, left):]
		if len(along) < shortRow {
			axpyShort(s.alpha*s.x[p], along, row)
		} else {
			s.kernel.Axpy(len(along), s.alpha*s.x[p], &along[0], &row[0])
		}
	}
}
