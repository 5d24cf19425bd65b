package level12

import "gonum.org/v1/gonum/blas"

// Dgemv computes
//
//	y = alpha*A*x + beta*y     if tA = blas.NoTrans
//	y = alpha*Aᵀ*x + beta*y    if tA = blas.Trans or blas.ConjTrans
//
// for an m×n matrix A, row-major, lda >= n. With beta = 0, y is not read; with alpha = 0, neither are A
// and x. y overlaps neither A nor x. Reads A once; 2mn flops.
//
// The error in y[i] is at most γ_{k+2}·(|alpha|·|op(A)|·|x| + |beta|·|y|)[i], where k is the number of
// columns of op(A). Element i of A*x is Ddot of row i and x, bit for bit, if both have increment 1.
func (r *Routines) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	checkTranspose(tA)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	require(lda >= max(1, n), badLdA)
	require(incX != 0, zeroIncX)
	require(incY != 0, zeroIncY)
	if m == 0 || n == 0 {
		return
	}
	lenX, lenY := n, m
	if tA != blas.NoTrans {
		lenX, lenY = m, n
	}
	require(holds(len(x), lenX, incX), shortX)
	require(holds(len(y), lenY, incY), shortY)
	require(holdsMatrix(len(a), m, n, lda), shortA)

	switch {
	case alpha == 0:
		r.scale(lenY, beta, y, incY)
	case tA == blas.NoTrans:
		u := gather(n, x, incX)
		r.kernel.GemvN(m, n, alpha, &a[0], lda, &u.v[0], beta, &y[first(m, incY)], incY)
		u.release()
	default:
		u := gather(n, y, incY)
		r.kernel.GemvT(m, n, alpha, &a[0], lda, &x[first(m, incX)], incX, beta, &u.v[0])
		u.scatter(y, incY)
	}
}
