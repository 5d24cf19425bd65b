package gemm

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dsyrk computes the triangle ul of C = alpha·op(A)·op(A)ᵀ + beta·C, where op(A), n×k, is A if t is
// blas.NoTrans and Aᵀ otherwise. It takes n²k flops. The other triangle of C is not touched.
func (e *Engine) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if check.Dsyrk(ul, t, n, k, a, lda, c, ldc) {
		e.syrk(t, n, k, alpha, block.Dense(a, lda), nil, beta, sink{block.Dense(c, ldc), ul})
	}
}

// Dsprk is Dsyrk for the upper triangle of C, packed in ap.
func (e *Engine) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	if check.Dsprk(t, n, k, a, lda, ap) {
		e.syrk(t, n, k, alpha, block.Dense(a, lda), nil, beta, sink{block.Packed(n, ap, 0, 0), blas.Upper})
	}
}

// syrk computes the triangle of C = alpha·op(A)·diag(d)·op(A)ᵀ + beta·C that c keeps. If d is nil,
// diag(d) = I.
func (e *Engine) syrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, beta float64, c sink) {
	p := e.newProduct(t, block.Other(t), n, n, k, alpha, a, a, beta, c)
	p.b.diag = d
	p.run()
}

// Dsyr2k computes the triangle ul of C = alpha·op(A)·op(B)ᵀ + alpha·op(B)·op(A)ᵀ + beta·C, where op(X),
// n×k, is X if t is blas.NoTrans and Xᵀ otherwise. It takes 2n²k flops.
func (e *Engine) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dsyr2k(ul, t, n, k, a, lda, b, ldb, c, ldc) {
		e.Dgemmt(ul, t, block.Other(t), n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		e.Dgemmt(ul, t, block.Other(t), n, k, alpha, b, ldb, a, lda, 1, c, ldc)
	}
}
