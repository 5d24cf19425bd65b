package cholesky

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"
)

// Remove removes few rows one by one, and more by a matrix of order k. With S = Ax F and UᵀU = I - SᵀS,
//
//	F := F U⁻¹,   W := W - F (I - SᵀS)⁻¹Sᵀ(Ya - Ax W),
//
// and the smallest eigenvalue of I - SᵀS is 1-h.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	limit, err := state.RemovalLimit(s.known(), 1)
	if err != nil {
		return out, err
	}
	next := *s
	next.Size = s.Size.Without(ax, ya)
	q := dense.Rows(ax)
	var rest float64
	if cost.CholeskyForm(api.Auto, q, s.K) == api.Large {
		rest, err = next.removeLarge(ax, ya, limit)
	} else {
		rest, err = next.byRows(context.Background(), -1, ax, ya, limit)
	}
	var indefinite *api.ConditionError
	if errors.As(err, &indefinite) {
		return out, &api.LeverageError{Least: limit, Action: api.ActionRemove}
	}
	if err != nil {
		return out, err
	}
	if q > 1 { // each row leaves enough of what was there before it; all together may not
		norm := func() float64 {
			return next.KernelNorm(ax, next.Gain, func(u []float64) []float64 {
				next.squared(u, next.Gain, 1)
				return u
			})
		}
		if rest, err = state.CheckAll(rest, limit, norm); err != nil {
			return out, err
		}
	}
	if q >= state.ManyRemoved || next.Most > math.Sqrt2*next.Noted { // the square of Most is at least ‖F‖²
		next.noteCondition()
	}
	next.NoteLoss(1 / rest)
	*s = next
	return state.Outcome{Model: cost.CholeskyRemove(q, s.K, s.C)}, nil
}

// removeLarge removes rows by I - SᵀS, and returns its 1-h.
func (s *State) removeLarge(ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	if err := s.reserveLarge(api.ActionRemove, dense.Rows(ax)); err != nil {
		return 0, err
	}
	seen, err := s.seen(context.Background(), ax)
	if err != nil {
		return 0, err
	}
	err = s.applySeen(context.Background(), -1, seen, ax, ya, func(u *lapack.Cholesky) error {
		rest = s.SmallestEigenvalue(u)
		return state.CheckRest(rest, limit)
	})
	return rest, err
}
