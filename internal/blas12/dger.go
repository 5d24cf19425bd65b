package blas12

// Dger computes
//
//	A += alpha*x*yᵀ
//
// for an m×n matrix A, row-major, lda >= n. With alpha = 0 it reads and writes nothing. A overlaps neither
// x nor y. Reads and writes A once; 2mn flops. Each element takes two or three roundings:
// (alpha*x[i])*y[j] + A[i,j].
func (r *Routines) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	require(lda >= max(1, n), badLdA)
	require(incX != 0, zeroIncX)
	require(incY != 0, zeroIncY)
	if m == 0 || n == 0 {
		return
	}
	require(holds(len(x), m, incX), shortX)
	require(holds(len(y), n, incY), shortY)
	require(holdsMatrix(len(a), m, n, lda), shortA)
	if alpha == 0 {
		return
	}
	u := gather(n, y, incY)
	r.ger(m, n, alpha, x, incX, u.v, a, lda)
	u.release()
}

// ger is the kernel's Ger, of several goroutines where that is worth it.
func (r *Routines) ger(m, n int, alpha float64, x []float64, incX int, y, a []float64, lda int) {
	x0 := first(m, incX)
	if !r.shared(2 * m * n) { // A passes in and out
		r.kernel.Ger(m, n, alpha, &x[x0], incX, &y[0], &a[0], lda)
		return
	}
	r.overRows(m, 2*n, func(from, to int) {
		r.kernel.Ger(to-from, n, alpha, &x[x0+from*incX], incX, &y[0], &a[from*lda], lda)
	})
}
