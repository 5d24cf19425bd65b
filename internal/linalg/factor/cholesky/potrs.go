package cholesky

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Potrs overwrites the n×nrhs B by A⁻¹B (side is Left) or the nrhs×n B by B A⁻¹ (side is Right), with
// the Cholesky factor of A in the triangle ul of a. It takes 2n²·nrhs flops.
func Potrs(bk factor.Backend, side blas.Side, ul blas.Uplo, n, nrhs int, a, b block.Matrix) {
	first, then := blas.Trans, blas.NoTrans
	if (ul == blas.Lower) == (side == blas.Left) {
		first, then = then, first
	}
	factor.Trtrs(bk, side, ul, first, blas.NonUnit, n, nrhs, a, b)
	factor.Trtrs(bk, side, ul, then, blas.NonUnit, n, nrhs, a, b)
}
