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
	for i := 0; i < n; i += blockRows {
		end := min(i+blockRows, n)
		left, right := i, end // of the triangle on the diagonal
		for p := i; p < end; p++ {
			if ul == blas.Upper {
				left = p
			} else {
				right = p + 1
			}
			axpyShort(alpha*u.v[p], u.v[left:right], a[p*lda+left:])
		}
		left, right = 0, i // of the rectangle beside it
		if ul == blas.Upper {
			left, right = end, n
		}
		if left < right {
			r.kernel.Ger(end-i, right-left, alpha, &u.v[i], 1, &u.v[left], &a[i*lda+left], lda)
		}
	}
	u.release()
}
