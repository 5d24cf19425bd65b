package level12

import "gonum.org/v1/gonum/blas"

// Dsyr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which the triangle ul is read and written. With
// alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or three
// roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	checkUplo(ul)
	require(n >= 0, nLT0)
	require(lda >= max(1, n), badLdA)
	require(incX != 0, zeroIncX)
	if n == 0 {
		return
	}
	require(holds(len(x), n, incX), shortX)
	require(holdsMatrix(len(a), n, n, lda), shortA)
	if alpha == 0 {
		return
	}
	u := gather(n, x, incX)
	s := symmetricUpdate{Routines: r, parts: partsOf(ul, n), alpha: alpha, x: u.v, a: a, lda: lda}
	s.add()
	u.release()
}

// full adds rows from to to of the update to a full matrix.
func (s *symmetricUpdate) full(from, to int) {
	x, a, lda := s.x, s.a, s.lda
	for i := from; i < to; i += blockRows {
		end := min(i+blockRows, to)
		left, right := i, end // of the triangle on the diagonal
		for p := i; p < end; p++ {
			if s.ul == blas.Upper {
				left = p
			} else {
				right = p + 1
			}
			axpyShort(s.alpha*x[p], x[left:right], a[p*lda+left:])
		}
		left, right = 0, i // of the rectangle beside it
		if s.ul == blas.Upper {
			left, right = end, s.n
		}
		if left < right {
			s.kernel.Ger(end-i, right-left, s.alpha, &x[i], 1, &x[left], &a[i*lda+left], lda)
		}
	}
}
