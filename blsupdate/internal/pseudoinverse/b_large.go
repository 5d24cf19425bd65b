package pseudoinverse

import (
	"context"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

const largeMatrix = "I + Dbar Ax" // the name of the matrix in errors

// minRCond is the reciprocal condition number of I + Dbar Ax above which the form Large computes B. The
// relative error of B is eps times the condition number.
const minRCond = dense.Eps

// large returns Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, by the inverse or, with Options.Solve, by solving, which
// overwrites Dbar. It returns a *ConditionError if the result would be inaccurate.
func (s *addition) large(ctx context.Context) (bt *mat.Dense, err error) {
	u, q, k := s.u, s.q, s.u.K
	u.Counter.Enter(cost.StepInner)
	m := mat.NewDense(k, k, nil)
	left, right := s.dbar, s.ax
	if s.solve { // the transpose, for SolveRowsTo
		left, right = right, left
	}
	err = state.EachPanel(ctx, q, func(from, to int) error {
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(left, from, to), dense.RowRange(right, from, to), 1, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range k {
		m.RawRowView(i)[i]++
	}

	u.Counter.Enter(cost.StepInverse)
	lu := dense.NewLU(u.Counter)
	if err := lu.FactorizeInPlace(m); err != nil {
		return nil, state.FactorError(largeMatrix, err)
	}
	if rcond := lu.RCond(); !(rcond > minRCond) {
		return nil, &types.ConditionError{What: largeMatrix, RCond: rcond, Batches: true}
	}
	if s.solve {
		u.Counter.Enter(cost.StepB)
		return s.dbar, state.FactorError(largeMatrix, lu.SolveRowsTo(s.dbar, s.dbar))
	}
	inverse, err := lu.InverseInPlace()
	if err != nil {
		return nil, state.FactorError(largeMatrix, err)
	}
	u.Counter.Enter(cost.StepB)
	bt = mat.NewDense(q, k, nil)
	dense.Gemm(u.Counter, blas.NoTrans, blas.Trans, 1, s.dbar, inverse, 0, bt)
	return bt, nil
}
