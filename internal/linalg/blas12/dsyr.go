package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dsyr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which it reads and writes the triangle ul, in
// n² flops. If alpha = 0, nothing is read or written. A must not overlap x. Each element takes two or
// three roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle. NaN and infinities
// in x[i] reach row and column i, even if the other factor is zero.
func (r *Routines) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	check.Ld(lda, n, check.BadLdA)
	if checkPair(n, x, incX, x, incX) {
		check.Length(len(a), n, n, lda, check.ShortA)
		s := symmetricUpdate{Routines: r, alpha: alpha}
		s.full(ul, n, a, lda)
		s.addVectors(x, incX, nil, 0)
	}
}

// Dspr is Dsyr with the triangle ul of A packed by rows in ap: n(n+1)/2 elements.
func (r *Routines) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	if checkPair(n, x, incX, x, incX) {
		check.Packed(len(ap), n)
		s := symmetricUpdate{Routines: r, alpha: alpha}
		s.packed(ul, n, ap)
		s.addVectors(x, incX, nil, 0)
	}
}

// A symmetricUpdate is A += alpha*x*xᵀ, or A += alpha*x*yᵀ + alpha*y*xᵀ if y is not nil, for a
// symmetric A, computed in pieces of rows.
type symmetricUpdate struct {
	*Routines
	oneTriangle
	alpha float64
	x, y  []float64
}

// updatePieces is the number of pieces of an update that goroutines share. Results do not depend on it.
const updatePieces = 32

// addVectors adds the update by x, or by x and y, to A. The arguments have been checked.
func (s *symmetricUpdate) addVectors(x []float64, incX int, y []float64, incY int) {
	if s.alpha == 0 {
		return
	}
	u, v := gather(s.n, x, incX), vector{}
	if y != nil {
		v = gather(s.n, y, incY)
	}
	s.x, s.y = u.v, v.v
	s.add()
	u.release()
	v.release()
}

func (s *symmetricUpdate) add() {
	numbers := 2 * s.elements() // A is read and written
	if !s.shared(numbers) {
		s.some(0, s.n)
		return
	}
	own := *s // so that s itself stays on the caller's stack
	own.share(updatePieces, nanoseconds(numbers/updatePieces), func(from, to int) {
		own.some(own.firstRow(from, updatePieces), own.firstRow(to, updatePieces))
	})
}

func (s *symmetricUpdate) some(from, to int) {
	if s.growth != 0 || s.y != nil {
		s.rows(from, to, 0, s.n)
		return
	}
	for i := from; i < to; i += blockRows {
		end := min(i+blockRows, to)
		s.rows(i, end, i, end)
		if left, right := s.offDiagonal(i, end); left < right {
			lda, _ := s.distances(i)
			s.kernel.Ger(end-i, right-left, s.alpha, &s.x[i], 1, &s.x[left], &s.a[s.at(i, left)], lda)
		}
	}
}

// rows applies the update to rows [from, to) of A within columns [left, right).
func (s *symmetricUpdate) rows(from, to, left, right int) {
	at, step := s.at(from, from), s.step+s.growth*from
	for i := from; i < to; i++ {
		if s.ul == blas.Upper {
			left = i
		} else {
			right = i + 1
		}
		row := s.a[at+left-i : at+right-i]
		short, t := len(row) < shortRow, s.alpha*s.x[i]
		switch {
		case s.y == nil && short:
			for j, v := range s.x[left:right] {
				row[j] += float64(t * v)
			}
		case s.y == nil:
			s.kernel.Axpy(len(row), t, &s.x[left], &row[0])
		case short:
			x, y, u := s.x[left:right], s.y[left:right], s.alpha*s.y[i]
			for j, v := range row {
				row[j] = v + float64(t*y[j]) + float64(u*x[j])
			}
		default:
			s.kernel.Axpy(len(row), t, &s.y[left], &row[0])
			s.kernel.Axpy(len(row), s.alpha*s.y[i], &s.x[left], &row[0])
		}
		at, step = at+step, step+s.growth
	}
}
