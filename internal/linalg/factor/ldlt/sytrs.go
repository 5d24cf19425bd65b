package ldlt

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Sytrs overwrites B with A⁻¹B if side is Left, or with B A⁻¹ if side is Right. B is n×c or c×n. It
// uses the factors from Sytrf, A⁻¹ = Pᵀ U⁻¹ D⁻¹ U⁻ᵀ P, and takes 2n²c flops.
func Sytrs(bk factor.Backend, side blas.Side, n, c int, u block.Matrix, d *Diagonal, swap []int, b block.Matrix) {
	first, then := blas.Trans, blas.NoTrans
	if side == blas.Right {
		first, then = then, first
	}
	factor.PermuteRHS(bk, side, c, b, swap, false)
	factor.Trtrs(bk, side, blas.Upper, first, blas.Unit, n, c, u, b)
	if side == blas.Left {
		d.solve(bk, c, b)
	} else {
		for i := range c {
			d.solve(bk, 1, block.Dense(b.Elements(i, 0, n), 1))
		}
	}
	factor.Trtrs(bk, side, blas.Upper, then, blas.Unit, n, c, u, b)
	factor.PermuteRHS(bk, side, c, b, swap, true)
}
