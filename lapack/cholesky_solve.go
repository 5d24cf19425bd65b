package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTo computes the n×c X with A X = B for the n×c b and writes it to dst, which may be b but
// must not overlap it in part, which panics. An empty dst is given its size. It takes 2n²c flops.
//
// The error matches ErrNotFinite where b holds NaN or an infinity; dst is then unchanged. It matches
// ErrSingular where X overflows; dst then holds what was computed. SolveTo panics with mat.ErrShape
// if the shapes do not fit, and if the receiver is empty. (LAPACK: dpptrs.)
func (c *Cholesky) SolveTo(dst, b *mat.Dense) error {
	c.mustHold()
	return solveColumns(c.Backend, "Dpptrs", c.n, dst, b, c.solve)
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, which may be b: every
// row of b is a right-hand side. It is SolveTo for the transposes, without transposing anything: the
// rows are solved in panels of 1024, each by two sweeps over the triangle. Sizes, flops (2n²m),
// errors and panics are those of SolveTo.
func (c *Cholesky) SolveRowsTo(dst, b *mat.Dense) error {
	c.mustHold()
	return solveRows(c.Backend, "Dpptrs", c.n, dst, b, func(bk blskernel.Backend, m int, x []float64, ldx int) {
		on, u, b := block.On(bk), block.Packed(c.n, c.u, 0, 0), block.Dense(x, ldx)
		on.BlockTrsm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, m, c.n, 1, u, b)
		on.BlockTrsm(blas.Right, blas.Upper, blas.Trans, blas.NonUnit, m, c.n, 1, u, b)
	})
}

// solveColumns is the frame of every SolveTo: it announces the routine, checks b and the result,
// and lets solve overwrite the copy of b in dst.
func solveColumns(b0 blskernel.Backend, routine string, n int, dst, b *mat.Dense, solve func(bk blskernel.Backend, nrhs int, x []float64, ldx int)) error {
	rows, nrhs := b.Dims()
	checkShape(rows == n)
	reuseFor(b, dst, n, nrhs)
	checkOverlap(dst, b)
	bk := blskernel.Begin(b0, blskernel.Routine{Name: routine, M: n, N: n, NRHS: nrhs})
	if n == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(routine, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if dst != b {
		dst.Copy(b)
	}
	raw := dst.RawMatrix()
	solve(bk, nrhs, raw.Data, raw.Stride)
	return checkFinite(routine, raw, ErrSingular)
}

// solveRows is the frame of every SolveRowsTo; solve overwrites m rows of length n.
func solveRows(b0 blskernel.Backend, routine string, n int, dst, b *mat.Dense, solve func(bk blskernel.Backend, m int, x []float64, ldx int)) error {
	m, cols := b.Dims()
	checkShape(cols == n)
	reuseFor(b, dst, m, n)
	checkOverlap(dst, b)
	bk := blskernel.Begin(b0, blskernel.Routine{Name: routine, M: n, N: n, NRHS: m})
	if n == 0 || m == 0 {
		return nil
	}
	if err := checkFinite(routine, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if dst != b {
		dst.Copy(b)
	}
	raw := dst.RawMatrix()
	for i := 0; i < m; i += rowPanel {
		solve(bk, min(rowPanel, m-i), raw.Data[i*raw.Stride:], raw.Stride)
	}
	return checkFinite(routine, raw, ErrSingular)
}

// rowPanel is the number of rows of a matrix of right-hand sides that are solved together where
// each row is one. It bounds what has to stay in the cache between the two triangular solves, and
// is enough that reading the triangle for each panel does not count.
const rowPanel = 1024
