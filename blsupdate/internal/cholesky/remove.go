package cholesky

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// remove takes rows out: few of them row by row, more by a matrix of order k, with S = Ax F and UᵀU = I
// - SᵀS,
//
//	F := F U⁻¹,   W := W - F (I - SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// The smallest eigenvalue of I - SᵀS is 1 - h.
func (s *State) Remove(ax, ya *mat.Dense) (state.Outcome, error) {
	limit, err := state.RemovalLimit(s.known(), 1)
	if err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.size = s.size.Without(ax, ya)
	q := dense.Rows(ax)
	form := cost.CholeskyForm(api.Auto, q, s.K)
	var rest float64
	if form == api.Large {
		rest, err = next.removeLarge(ax, ya, limit)
	} else {
		rest, err = next.byRows(context.Background(), -1, ax, ya, limit)
	}
	var indefinite *api.ConditionError
	if errors.As(err, &indefinite) {
		return state.Outcome{}, &api.LeverageError{Least: limit, Action: api.ActionRemove}
	}
	if err != nil {
		return state.Outcome{}, err
	}
	if q > 1 && !(rest >= limit) {
		// Each row leaves enough of what was there before it, but all of them together may not.
		if rest = 1 / (1 + next.kernelNorm(ax)); !(rest >= limit) {
			return state.Outcome{}, &api.LeverageError{Rest: rest, Least: limit, Action: api.ActionRemove}
		}
	}
	next.noteRemoval(q)
	next.NoteLoss(1 / rest)
	*s = next
	return state.Outcome{Model: cost.CholeskyRemove(q, s.K, s.C)}, nil
}

// kernelNorm estimates the 2-norm of Ax F FᵀAxᵀ, which after a removal is h/(1-h).
func (s *State) kernelNorm(ax *mat.Dense) float64 {
	x, l := ax.RawMatrix(), s.L.RawMatrix().Data
	u := make([]float64, s.K)
	return state.LargestEigenvalue(x.Rows, func(e []float64) {
		s.Counter.Dgemv(blas.Trans, x.Rows, s.K, 1, x.Data, x.Stride, e, 1, 0, u, 1)
		s.Counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.K, l, s.K, u, 1)
		floats.Scale(s.Gain, u)
		s.Counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.K, l, s.K, u, 1)
		s.Counter.Dgemv(blas.NoTrans, x.Rows, s.K, s.Gain, x.Data, x.Stride, u, 1, 0, e, 1)
	})
}

// removeLarge removes rows by I - SᵀS, and returns its 1-h.
func (s *State) removeLarge(ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	q, k, c := dense.Rows(ax), s.K, s.C
	if err := s.roomForLarge(api.ActionRemove, q); err != nil {
		return 0, err
	}
	defer s.Counter.Leave()
	seen, err := s.seen(context.Background(), ax)
	if err != nil {
		return 0, err
	}
	x := seen.RawMatrix().Data
	s.Counter.Enter(cost.StepKernel)
	inner := mat.NewSymPacked(k, nil)
	s.Counter.Dsprk(blas.Trans, k, q, -1, x, k, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)
	s.Counter.Enter(cost.StepFactor)
	factor, err := s.DefiniteFactor(inner, "I - F'Ax'Ax F")
	if err != nil {
		return 0, err
	}
	rest = s.SmallestEigenvalue(factor)
	if !(rest >= limit) {
		return 0, &api.LeverageError{Rest: rest, Least: limit, Action: api.ActionRemove}
	}

	s.Counter.Enter(cost.StepWeights)
	e := s.Residual(ax, ya, s.W)
	v := mat.NewDense(k, c, nil)
	rv := v.RawMatrix().Data
	if q <= k {
		if err := s.gainSolve(-1, seen, e); err != nil {
			return 0, err
		}
	}
	s.Counter.Dgemm(blas.Trans, blas.NoTrans, k, c, q, 1, x, k, e.RawMatrix().Data, c, 0, rv, c)
	if q > k {
		if err := factor.SolveTo(v, v); err != nil {
			return 0, api.ErrOverflow
		}
	}
	s.fTimes(rv)
	s.Counter.Enter(cost.StepF)
	if err := s.shrink(factor); err != nil {
		return 0, err
	}
	if s.NormL = s.frobenius(); !(s.NormL < math.MaxFloat64/4) {
		return 0, api.ErrOverflow
	}
	return rest, s.addWeights(-1, rv)
}
