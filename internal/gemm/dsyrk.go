package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dsyrk computes the triangle ul, with the diagonal, of the rank-k update
//
//	C = alpha·A·Aᵀ + beta·C   if t is blas.NoTrans, A n×k
//	C = alpha·Aᵀ·A + beta·C   otherwise, A k×n
//
// of a symmetric n×n matrix C. The other triangle of C is neither read nor written. It takes n²k flops.
func (e *Engine) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	e.Dgemmt(ul, t, other(t), n, k, alpha, a, lda, a, lda, beta, c, ldc)
}

// Dsprk is Dsyrk for a C of which the upper triangle is in packed storage, n(n+1)/2 elements of ap.
func (e *Engine) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	e.Dgemmtp(t, other(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

// DsprkDiag computes the upper triangle, in packed storage, of
//
//	AP = alpha·A·diag(d)·Aᵀ + beta·AP   if t is blas.NoTrans, A n×k
//	AP = alpha·Aᵀ·diag(d)·A + beta·AP   otherwise, A k×n
//
// for a d of k elements, of any sign. It takes n²k flops.
func (e *Engine) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	p := product{
		engine: e, m: n, n: n, k: k, alpha: alpha, beta: beta,
		a: left(t != blas.NoTrans, block.Dense(a, lda)),
		b: right(t == blas.NoTrans, block.Dense(a, lda)),
		c: half(blas.Upper, block.Packed(n, ap, 0, 0)),
	}
	p.b.diag = d[:k]
	p.run()
}

// Dsyr2k computes the triangle ul, with the diagonal, of the rank-2k update
//
//	C = alpha·A·Bᵀ + alpha·B·Aᵀ + beta·C   if t is blas.NoTrans, A and B n×k
//	C = alpha·Aᵀ·B + alpha·Bᵀ·A + beta·C   otherwise, A and B k×n
//
// of a symmetric n×n matrix C. The other triangle of C is neither read nor written. It takes 2n²k
// flops.
func (e *Engine) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	e.Dgemmt(ul, t, other(t), n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	e.Dgemmt(ul, t, other(t), n, k, alpha, b, ldb, a, lda, 1, c, ldc)
}

// other returns blas.Trans for blas.NoTrans, and blas.NoTrans otherwise.
func other(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
