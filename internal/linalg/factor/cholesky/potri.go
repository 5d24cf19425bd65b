package cholesky

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/ldlt"

	"gonum.org/v1/gonum/blas"
)

// Potri overwrites the Cholesky factor in the triangle ul of the n×n a by the same triangle of the
// inverse, X = (UᵀU)⁻¹ or X = (L Lᵀ)⁻¹; a packed a is upper. The other triangle is neither read nor
// written. It takes 2n³/3 flops, by halves down to the order base. The diagonal must have no zero.
func Potri(bk factor.Backend, ul blas.Uplo, base, n int, a block.Matrix) {
	if lib, ok := columnMajor(bk, n, a); ok {
		lib.Dpotri(otherTriangle(ul), n, a.X, a.Ld)
		return
	}
	ldlt.Inverse(bk, ul, base, n, a, nil)
}
