package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dsyrk computes the triangle ul of C = alpha·A·Aᵀ + beta·C (t is blas.NoTrans, A n×k) or C =
// alpha·Aᵀ·A + beta·C (otherwise, A k×n), in n²k flops. The other triangle of C is not touched.
func (e *Engine) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	e.Dgemmt(ul, t, other(t), n, k, alpha, a, lda, a, lda, beta, c, ldc)
}

// Dsprk is Dsyrk for the upper triangle in packed storage.
func (e *Engine) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	e.Dgemmtp(t, other(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

// DsprkDiag computes AP = alpha·A·diag(d)·Aᵀ + beta·AP or AP = alpha·Aᵀ·diag(d)·A + beta·AP, otherwise
// as Dsprk.
func (e *Engine) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	e.syrkDiag(t, n, k, alpha, block.Dense(a, lda), d[:k], beta, block.Packed(n, ap, 0, 0))
}

// BlockSyrk is DsprkDiag on blocks with beta = 1, see block.Products.
func (e *Engine) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	e.syrkDiag(t, n, k, alpha, a, d, 1, c)
}

func (e *Engine) syrkDiag(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, beta float64, c block.Matrix) {
	p := e.newProduct(t, other(t), n, n, k, alpha, a, a, beta, half(blas.Upper, c))
	p.b.diag = d
	p.run()
}

// Dsyr2k computes the triangle ul of C = alpha·A·Bᵀ + alpha·B·Aᵀ + beta·C (t is blas.NoTrans, A and B
// n×k) or C = alpha·Aᵀ·B + alpha·Bᵀ·A + beta·C (otherwise, A and B k×n), in 2n²k flops.
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
