package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dtrsm solves
//
//	op(A)·X = alpha·B   if side is blas.Left, A m×m
//	X·op(A) = alpha·B   otherwise, A n×n
//
// for the m×n matrix X, which overwrites B. A is the triangle ul, whose diagonal is taken to be
// ones, and not read, if d is blas.Unit; the other triangle is not read. A zero on the diagonal
// gives Inf or NaN, as division by it does. If alpha = 0, B is set to zero and A is not read. It
// takes m²n or mn² flops.
//
// X is found in blocks of rows (columns, on the right) by substitution in registers with the
// reciprocals of the diagonal; what a block contributes to the rest is subtracted as a product. As for
// substitution, each column (or row) of X is the exact solution for a matrix A + E with |E| <=
// gamma_{m+2}·|A| (Higham, section 8.1 and 8.5, with one rounding more for each reciprocal); E differs
// from column to column.
func (e *Engine) Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	e.sweep(true, side, ul, tA, d, m, n, alpha, block.Dense(a, lda), block.Dense(b, ldb))
}
