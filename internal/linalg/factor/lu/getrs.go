package lu

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Getrs overwrites B with op(A)⁻¹B if side is Left, or with B op(A)⁻¹ if side is Right. B is n×nrhs or
// nrhs×n. Getrs takes 2n²·nrhs flops and uses the factors that Getrf left in lu, A⁻¹ = U⁻¹ L⁻¹ P. If
// columns is set, lu holds the factors of P Aᵀ = L U by columns, as GetrfLibrary left them: A⁻¹ = Pᵀ
// L⁻ᵀ U⁻ᵀ, where Uᵀ is in the lower triangle. If vector is set, Dtrsv solves for a single column; its
// results differ from Trsm's in rounding.
func Getrs(bk factor.Backend, side blas.Side, t blas.Transpose, n, nrhs int, lu block.Matrix, swap []int, columns, vector bool, b block.Matrix) {
	lower, upper := blas.Unit, blas.NonUnit
	if columns {
		lower, upper = upper, lower
	}
	solve := func(ul blas.Uplo, diag blas.Diag) {
		if vector {
			factor.Trtrs(bk, side, ul, t, diag, n, nrhs, lu, b)
		} else {
			factor.Trsm(bk, side, ul, t, diag, n, nrhs, 1, lu, b)
		}
	}
	lowerFirst := (side == blas.Left) == (t == blas.NoTrans)
	if lowerFirst != columns {
		factor.PermuteRHS(bk, side, nrhs, b, swap, false)
	}
	if lowerFirst {
		solve(blas.Lower, lower)
		solve(blas.Upper, upper)
	} else {
		solve(blas.Upper, upper)
		solve(blas.Lower, lower)
	}
	if lowerFirst == columns {
		factor.PermuteRHS(bk, side, nrhs, b, swap, true)
	}
}
