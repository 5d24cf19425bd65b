package lapack

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/factor"
	"blskernel/internal/factor/condition"

	"gonum.org/v1/gonum/blas"
)

// rcond returns the estimated reciprocal condition number of a matrix of order n and 1-norm anorm. A
// symmetric one needs no solves with rows.
func rcond(b0 blskernel.Backend, routine string, n int, anorm float64, symmetric bool, solve solver) float64 {
	bk := factor.On(backend.Begin(b0, backend.Routine{Name: routine, M: n, N: n}))
	return condition.Con(n, anorm, func(x []float64, trans bool) {
		if trans && !symmetric {
			solve(bk, blas.Right, 1, block.Dense(x, n)) // x as a row: x A⁻¹
			return
		}
		solve(bk, blas.Left, 1, block.Dense(x, 1))
	})
}

// rcondTriangle is RCondTriangle for the upper triangle of the n×n u.
func rcondTriangle(bk blskernel.Backend, n int, u block.Matrix) float64 {
	const routine = "Dtrcon"
	on := factor.On(backend.Begin(bk, backend.Routine{Name: routine, M: n, N: n}))
	if checkTriangle(routine, n, u) != nil {
		return 0
	}
	return condition.Con(n, factor.Lantr(n, u), func(x []float64, trans bool) {
		factor.Trsm(on, blas.Left, blas.Upper, block.Trans(trans), blas.NonUnit, n, 1, 1, u, block.Dense(x, 1))
	})
}
