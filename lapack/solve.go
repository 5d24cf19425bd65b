package lapack

import (
	"errors"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// A solver computes x = A⁻¹x for an n×c x if side is blas.Left, or x = x A⁻¹ for a c×n x otherwise.
type solver func(bk factor.Backend, side blas.Side, c int, x block.Matrix)

// rowPanel is the number of right-hand sides, stored as rows, that are solved together: few enough to
// stay in the cache between two triangular solves, but enough to amortize reading the triangle.
const rowPanel = 1024

// system returns the order n and the number of right-hand sides that the shape of b implies. The
// right-hand sides are the columns of b if side is blas.Left, and its rows otherwise.
func system(side blas.Side, b *mat.Dense) (n, nrhs int) {
	n, nrhs = b.Dims()
	if side == blas.Right {
		n, nrhs = nrhs, n
	}
	return n, nrhs
}

// solveTo implements SolveTo (for blas.Left) and SolveRowsTo (for blas.Right). It reports the routine
// to the backend, checks b, copies it to dst, calls solve to overwrite the copy, and checks the result.
func solveTo(b0 blskernel.Backend, routine string, side blas.Side, n int, dst, b *mat.Dense, solve solver) error {
	rows, cols := b.Dims()
	order, nrhs := system(side, b)
	shapeSolution(dst, b, order == n, rows, cols)
	bk := announce(b0, routine, n, n, nrhs)
	if n == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(bk, routine, blas.All, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if dst != b {
		dst.Copy(b)
	}
	panel := nrhs
	if side == blas.Right {
		panel = rowPanel
	}
	x := dst.RawMatrix()
	for i := 0; i < nrhs; i += panel {
		solve(bk, side, min(panel, nrhs-i), blockOf(x).Sub(i, 0))
	}
	return checkFinite(bk, routine, blas.All, x, ErrOverflow)
}

// solveVecTo implements every SolveVecTo: it calls solve, a SolveTo of order n, on an n×1 matrix.
func solveVecTo(dst *gonummat.VecDense, n int, b gonummat.Vector, solve func(dst, b *mat.Dense) error) error {
	checkShape(b.Len() == n && (dst.IsEmpty() || dst.Len() == n))
	x := denseOn(blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)})
	for i := range n {
		x.Set(i, 0, b.AtVec(i))
	}
	if dst.IsEmpty() && n > 0 {
		dst.ReuseAsVec(n)
	}
	err := solve(x, x)
	if errors.Is(err, ErrNotFinite) {
		return err
	}
	for i := range n {
		dst.SetVec(i, x.At(i, 0))
	}
	return err
}
