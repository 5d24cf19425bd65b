package lapack

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A solver overwrites the n×c x by A⁻¹x (side is blas.Left) or the c×n x by x A⁻¹ (side is blas.Right).
type solver func(bk lapack.Backend, side blas.Side, c int, x block.Matrix)

// rowPanel is the number of rows of right-hand sides that are solved together. It bounds what has to
// stay in the cache between two triangular solves, and is enough for the traffic of the triangle not to
// count.
const rowPanel = 1024

// solveTo is the body of every SolveTo (side is blas.Left) and SolveRowsTo: it announces the routine,
// checks b and the result, and lets solve overwrite the copy of b in dst.
func solveTo(b0 blskernel.Backend, routine string, side blas.Side, n int, dst, b *mat.Dense, solve solver) error {
	rows, cols := b.Dims()
	order, nrhs := rows, cols
	if side == blas.Right {
		order, nrhs = cols, rows
	}
	checkShape(order == n)
	reuseFor(b, dst, rows, cols)
	checkOverlap(dst, b)
	bk := backend.Begin(b0, backend.Routine{Name: routine, M: n, N: n, NRHS: nrhs})
	if n == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(bk, routine, blas.All, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if dst != b {
		dst.Copy(b)
	}
	raw := dst.RawMatrix()
	x := blockOf(raw)
	if side == blas.Left {
		solve(lapack.On(bk), side, nrhs, x)
	} else {
		for i := 0; i < nrhs; i += rowPanel {
			solve(lapack.On(bk), side, min(rowPanel, nrhs-i), x.Sub(i, 0))
		}
	}
	return checkFinite(bk, routine, blas.All, raw, ErrSingular)
}

// rcond returns the estimated reciprocal condition number of a matrix of order n and 1-norm anorm. A
// symmetric one needs no solves with rows.
func rcond(b0 blskernel.Backend, routine string, symmetric bool, n int, anorm float64, solve solver) float64 {
	bk := lapack.On(backend.Begin(b0, backend.Routine{Name: routine, M: n, N: n}))
	return lapack.Con(n, anorm, func(x []float64, trans bool) {
		if trans && !symmetric {
			solve(bk, blas.Right, 1, block.Dense(x, n)) // x as a row: x A⁻¹
			return
		}
		solve(bk, blas.Left, 1, block.Dense(x, 1))
	})
}
