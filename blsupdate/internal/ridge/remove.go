package ridge

import (
	"context"
	"errors"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Remove removes rows by eachBlock. The smallest eigenvalue of I - Ax Pᵀ is 1-h, and Q grows by at most
// 1/(1-h).
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	limit, err := state.RemovalLimit(s.known(), 2)
	if err != nil {
		return out, err
	}
	q := dense.Rows(ax)
	if err := s.reserve(api.ActionRemove, api.Small, q); err != nil {
		return out, err
	}
	next := *s
	next.Size = s.Size.Without(ax, ya)
	rest := 1.0 // the product over the blocks is at most 1-h of all rows
	err = next.eachBlock(context.Background(), -1, ax, ya, func(u *lapack.Cholesky) error {
		left := s.SmallestEigenvalue(u)
		rest *= left
		return state.CheckRest(left, limit)
	})
	var indefinite *api.ConditionError
	if errors.As(err, &indefinite) {
		return out, &api.LeverageError{Least: limit, Action: api.ActionRemove}
	}
	if err != nil {
		return out, err
	}
	if cost.RidgeBlocks(q, s.K) > 1 { // each block leaves enough of what was there before it; all together may not
		v := make([]float64, s.K)
		norm := func() float64 {
			return next.KernelNorm(ax, 1, func(u []float64) []float64 {
				next.Counter.Dspmv(blas.Upper, s.K, next.Gain, next.data(), u, 1, 0, v, 1)
				return v
			})
		}
		if rest, err = state.CheckAll(rest, limit, norm); err != nil {
			return out, err
		}
	}
	if q >= state.ManyRemoved || next.trace() > 2*next.Noted { // the trace is at least ‖Q‖
		next.noteCondition()
	}
	next.NoteLoss(1 / rest)
	*s = next
	return state.Outcome{Model: cost.RidgeAdd(s.Options, api.Small, q, s.K, s.C)}, nil
}
