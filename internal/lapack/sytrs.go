package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Sytrs overwrites the n×c B by A⁻¹B (side is Left) or the c×n B by B A⁻¹ (side is Right), with what
// Sytrf left of A: A⁻¹ = Pᵀ U⁻¹ D⁻¹ U⁻ᵀ P. It takes 2n²c flops.
func Sytrs(bk Backend, side blas.Side, n, c int, u block.Matrix, d *Diagonal, swap []int, b block.Matrix) {
	if side == blas.Left {
		for k, s := range swap {
			exchange(b.Elements(k, 0, c), b.Elements(s, 0, c))
		}
		bk.trsm(side, blas.Upper, blas.Trans, blas.Unit, n, c, 1, u, b)
		d.solve(c, b)
		bk.trsm(side, blas.Upper, blas.NoTrans, blas.Unit, n, c, 1, u, b)
		for k := n - 1; k >= 0; k-- {
			exchange(b.Elements(k, 0, c), b.Elements(swap[k], 0, c))
		}
		return
	}
	for i := range c {
		row := b.Elements(i, 0, n)
		for k, s := range swap {
			row[k], row[s] = row[s], row[k]
		}
	}
	bk.trsm(side, blas.Upper, blas.NoTrans, blas.Unit, c, n, 1, u, b)
	for i := range c {
		d.solve(1, block.Dense(b.Elements(i, 0, n), 1))
	}
	bk.trsm(side, blas.Upper, blas.Trans, blas.Unit, c, n, 1, u, b)
	for i := range c {
		row := b.Elements(i, 0, n)
		for k := n - 1; k >= 0; k-- {
			s := swap[k]
			row[k], row[s] = row[s], row[k]
		}
	}
}
