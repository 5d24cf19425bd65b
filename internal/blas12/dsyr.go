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

// Dspr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A of which ap holds the triangle ul, packed by rows: n(n+1)/2 numbers.
// With alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or
// three roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	if n < smallTriangle {
		r.Guarded.Dspr(ul, n, alpha, x, incX, ap)
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

// A symmetricUpdate is A += alpha*x*xᵀ for a symmetric A, in pieces of rows.
type symmetricUpdate struct {
	*Routines
	oneTriangle
	alpha float64
	x     []float64
}

// updatePieces is the number of pieces; no sum depends on it.
const updatePieces = 32

// add adds the update to A.
func (s *symmetricUpdate) add() {
	numbers := 2 * s.elements() // A passes in and out
	if !s.shared(numbers) {
		s.rows(0, s.n)
		return
	}
	own := *s // so that s itself stays on the caller's stack
	own.share(updatePieces, nanoseconds(numbers/updatePieces), func(from, to int) {
		own.rows(own.begin(from, updatePieces), own.begin(to, updatePieces))
	})
}

func (s *symmetricUpdate) rows(from, to int) {
	if s.lda == 0 {
		s.packed(from, to)
	} else {
		s.full(from, to)
	}
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

// packed adds rows from to to of the update to a packed matrix.
func (s *symmetricUpdate) packed(from, to int) {
	axpy, alpha, n := s.kernel.Axpy, s.alpha, s.n
	left, right := 0, from+1 // columns of row from
	if s.ul == blas.Upper {
		left, right = from, n
	}
	rest := s.a[s.at(from, left):]
	for _, v := range s.x[from:to] {
		along := s.x[left:right]
		if len(along) < shortRow {
			axpyShort(alpha*v, along, rest)
		} else {
			axpy(len(along), alpha*v, &along[0], &rest[0])
		}
		rest = rest[len(along):]
		if s.ul == blas.Upper {
			left++
		} else {
			right++
		}
	}
}
