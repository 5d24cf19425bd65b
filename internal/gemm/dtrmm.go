package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dtrmm computes
//
//	B = alpha·op(A)·B   if side is blas.Left, A m×m
//	B = alpha·B·op(A)   otherwise, A n×n
//
// for the m×n matrix B. A is the triangle ul, whose diagonal is taken to be ones, and not read, if d is
// blas.Unit; the other triangle is not read, and no element of B is multiplied by its zeros. If alpha =
// 0, B is set to zero and A is not read. It takes m²n or mn² flops.
func (e *Engine) Dtrmm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	e.sweep(false, side, ul, tA, d, m, n, alpha, block.Dense(a, lda), block.Dense(b, ldb))
}
