package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Trtrs overwrites the m×n B by op(T)⁻¹B (side is Left) or B op(T)⁻¹ (side is Right) for the triangle
// ul of t. A packed T, which is upper, is not halved, and neither is a dense one for a single column:
// Dtrsv is then faster.
func Trtrs(bk Backend, side blas.Side, ul blas.Uplo, trans blas.Transpose, diag blas.Diag, m, n int, t, b block.Matrix) {
	switch {
	case t.Packed:
		bk.trsm(side, ul, trans, diag, m, n, 1, t, b)
	case side == blas.Left && n == 1:
		bk.Dtrsv(ul, trans, diag, m, t.X, t.Ld, b.X, b.Ld)
	default:
		Trsm(bk, side, ul, trans, diag, m, n, 1, t, b)
	}
}

// Potrs overwrites the m×n B by A⁻¹B (side is Left) or B A⁻¹ (side is Right), with the Cholesky factor
// of A in the triangle ul of a. It takes 2m²n or 2mn² flops.
func Potrs(bk Backend, side blas.Side, ul blas.Uplo, m, n int, a, b block.Matrix) {
	first, then := blas.Trans, blas.NoTrans
	if (ul == blas.Lower) == (side == blas.Left) {
		first, then = then, first
	}
	Trtrs(bk, side, ul, first, blas.NonUnit, m, n, a, b)
	Trtrs(bk, side, ul, then, blas.NonUnit, m, n, a, b)
}
