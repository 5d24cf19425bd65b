package blas12

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dgemv computes
//
//	y = alpha*A*x + beta*y     if tA = blas.NoTrans
//	y = alpha*Aᵀ*x + beta*y    if tA = blas.Trans or blas.ConjTrans
//
// for an m×n matrix A, row-major, lda >= n. If beta = 0, y is not read; if alpha = 0, A and x are not.
// y must not overlap A or x. Dgemv reads A once and takes 2mn flops.
//
// The error in y[i] is at most γ_{k+2}·(|alpha|·|op(A)|·|x| + |beta|·|y|)[i], where k is the number of
// columns of op(A). Element i of A*x equals Ddot of row i and x, bit for bit. An element of Aᵀ*x sums
// its products in the order of the rows. If A has at least 256 rows and 80,000 elements, this sum has 4
// to 16 parts, which are added in order. The element then depends on the shape of A, but never on other
// columns. NaN and infinities in row i of op(A) reach y[i]; in x they reach all of y.
func (r *Routines) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if !check.Dgemv(tA, m, n, a, lda, x, incX, y, incY) {
		return
	}
	lenY, _ := block.Stored(tA, m, n)
	switch {
	case alpha == 0:
		r.scale(lenY, beta, y, incY)
	case tA == blas.NoTrans:
		u := gather(n, x, incX)
		r.gemvN(m, n, alpha, a, lda, u.v, beta, y, incY)
		u.release()
	default:
		u := gather(n, y, incY)
		r.gemvT(m, n, alpha, a, lda, x, incX, beta, u.v)
		u.scatter(y, incY)
	}
}

// gemvN calls the kernel's GemvN, on several goroutines if that is worth it.
func (r *Routines) gemvN(m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64, incY int) {
	y0 := first(m, incY)
	if !r.shared(m * n) {
		r.kernel.GemvN(m, n, alpha, &a[0], lda, &x[0], beta, &y[y0], incY)
		return
	}
	r.overRows(m, n, func(from, to int) {
		r.kernel.GemvN(to-from, n, alpha, &a[from*lda], lda, &x[0], beta, &y[y0+from*incY], incY)
	})
}

// gemvT calls the kernel's GemvT, on several goroutines if that is worth it. The goroutines share
// pieces of rows, or ranges of columns if there are few rows.
func (r *Routines) gemvT(m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64) {
	x0 := first(m, incX)
	switch {
	case m*n >= minShared/8 && pieces(m) > 1: // even on one goroutine, for the same sums
		r.scale(n, beta, y, 1)
		count := pieces(m)
		r.addPieces(count, n, m*n, y, func(i int, sums []float64) (from, to int) {
			first, end := i*m/count, (i+1)*m/count
			r.kernel.GemvT(end-first, n, alpha, &a[first*lda], lda, &x[x0+first*incX], incX, 0, &sums[0])
			return 0, n
		})
	case r.shared(m*n) && n >= 2*minColumns:
		r.overColumns(m, n, func(from, to int) {
			r.kernel.GemvT(m, to-from, alpha, &a[from], lda, &x[x0], incX, beta, &y[from])
		})
	default:
		r.kernel.GemvT(m, n, alpha, &a[0], lda, &x[x0], incX, beta, &y[0])
	}
}
