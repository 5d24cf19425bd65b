package blas12

import "blskernel/internal/linalg/check"

// Dger computes
//
//	A += alpha*x*yᵀ
//
// for an m×n matrix A, row-major, lda >= n. If alpha = 0, nothing is read or written. A must not
// overlap x or y. Dger reads and writes A once and takes 2mn flops. Each element takes two or three
// roundings: (alpha*x[i])*y[j] + A[i,j]. NaN and infinities in x[i] reach row i, and in y[j] they reach
// column j, even if the other factor is zero.
func (r *Routines) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	check.Require(m >= 0, check.MLT0)
	check.Require(n >= 0, check.NLT0)
	check.Ld(lda, n, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if m == 0 || n == 0 {
		return
	}
	check.Vector(len(x), m, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	check.Length(len(a), m, n, lda, check.ShortA)
	if alpha == 0 {
		return
	}
	u := gather(n, y, incY)
	r.ger(m, n, alpha, x, incX, u.v, a, lda)
	u.release()
}

// apart is the least number of elements of A at which goroutines update A row by row. For a smaller A,
// the kernel's Ger is faster, because rows share loads of y. Beyond the caches, the hardware prefetches
// one row better than four (18.9 against 9.4 GFLOP/s on Zen 5 with n = 1500).
const apart = 1 << 20

// ger calls the kernel's Ger, or Axpy for each row, on several goroutines if that is worth it.
func (r *Routines) ger(m, n int, alpha float64, x []float64, incX int, y, a []float64, lda int) {
	x0 := first(m, incX)
	if !r.shared(2 * m * n) { // A is read and written
		r.kernel.Ger(m, n, alpha, &x[x0], incX, &y[0], &a[0], lda)
		return
	}
	r.overRows(m, 2*n, func(from, to int) {
		if m*n < apart || n < minColumns {
			r.kernel.Ger(to-from, n, alpha, &x[x0+from*incX], incX, &y[0], &a[from*lda], lda)
			return
		}
		for i := from; i < to; i++ {
			r.kernel.Axpy(n, alpha*x[x0+i*incX], &y[0], &a[i*lda])
		}
	})
}
