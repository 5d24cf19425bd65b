package cholesky

import (
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/ldlt"

	"gonum.org/v1/gonum/blas"
)

// Potrs overwrites B with A⁻¹B if side is Left, or with B A⁻¹ if side is Right. B is n×nrhs or nrhs×n.
// The triangle ul of a holds the Cholesky factor of A. Potrs takes 2n²·nrhs flops.
func Potrs(bk factor.Backend, side blas.Side, ul blas.Uplo, n, nrhs int, a, b block.Matrix) {
	first, then := blas.Trans, blas.NoTrans
	if (ul == blas.Lower) == (side == blas.Left) {
		first, then = then, first
	}
	factor.Trtrs(bk, side, ul, first, blas.NonUnit, n, nrhs, a, b)
	factor.Trtrs(bk, side, ul, then, blas.NonUnit, n, nrhs, a, b)
}

// Potri overwrites the Cholesky factor in the triangle ul of the n×n matrix a with the same triangle of
// the inverse, (UᵀU)⁻¹ or (L Lᵀ)⁻¹. A packed a is upper. The other triangle is neither read nor
// written. The diagonal must not hold a zero. Potri takes 2n³/3 flops and halves a down to order base.
func Potri(bk factor.Backend, ul blas.Uplo, base, n int, a block.Matrix) {
	if lib, ok := backend.ColumnMajor(bk.Backend); ok && n >= libraryOrder && !a.Packed {
		columns := blas.Upper // the triangle that holds the same elements by columns
		if ul == blas.Upper {
			columns = blas.Lower
		}
		lib.Dpotri(columns, n, a.X, a.Ld)
		return
	}
	ldlt.Inverse(bk, ul, base, n, a, nil)
}

// libraryOrder is the smallest order for which Potri uses a backend's own LAPACK. OpenBLAS 0.3.21 is
// equally fast at order 400; from 600 to 1000 it takes 0.86 to 0.95 of the time with Potrf.
const libraryOrder = 400
