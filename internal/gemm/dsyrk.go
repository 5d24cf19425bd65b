package gemm

import "gonum.org/v1/gonum/blas"

// Dsyrk computes the triangle ul, with the diagonal, of the rank-k update
//
//	C = alpha·A·Aᵀ + beta·C   if t is blas.NoTrans, A n×k
//	C = alpha·Aᵀ·A + beta·C   otherwise, A k×n
//
// of a symmetric n×n matrix C. The other triangle of C is neither read nor written. It takes n²k flops.
func Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	Dgemmt(ul, t, other(t), n, k, alpha, a, lda, a, lda, beta, c, ldc)
}

// Dsprk is Dsyrk for a C of which the upper triangle is in packed storage, n(n+1)/2 elements of ap.
func Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	Dgemmtp(t, other(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

// other returns blas.Trans for blas.NoTrans, and blas.NoTrans otherwise.
func other(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
