package cholesky

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/ldlt"

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

// Potri overwrites the Cholesky factor in the triangle ul of the n×n a by the same triangle of the
// inverse, X = (UᵀU)⁻¹ or X = (L Lᵀ)⁻¹; a packed a is upper. The other triangle is neither read nor
// written. It takes 2n³/3 flops, by halves down to the order base. The diagonal must not hold a zero.
func Potri(bk factor.Backend, ul blas.Uplo, base, n int, a block.Matrix) {
	if lib, ok := columnMajor(bk, n, a); ok {
		lib.Dpotri(otherTriangle(ul), n, a.X, a.Ld)
		return
	}
	ldlt.Inverse(bk, ul, base, n, a, nil)
}
