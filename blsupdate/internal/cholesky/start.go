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

// Start computes F = R⁻¹ where RᵀR = AᵀA + lambda I. R is the Cholesky factor where the condition of
// that matrix allows, and else comes from a QR factorization of A below sqrt(lambda) I.
func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (_ *State, out state.Outcome, err error) {
	s := new(State)
	if s.Inverse, err = state.NewInverse(base, a, y); err != nil {
		return nil, out, err
	}
	out.Start = api.StartCholesky
	err = s.startCholesky(ctx, a, y)
	var singular *api.ConditionError
	if errors.As(err, &singular) {
		out.Abandoned = s.Counter.Flops()
		s.Counter.Reset()
		out.Start, err = api.StartQR, s.startQR(ctx, a, y)
	}
	if err != nil {
		return nil, out, err
	}
	s.Most, s.MostW = s.frobenius(), dense.LargestOf(s.W.RawMatrix().Data)
	if !(s.Most < math.MaxFloat64/4) {
		return nil, out, api.ErrOverflow
	}
	s.noteCondition()
	out.Model = cost.CholeskyStart(cost.Shape{L: dense.Rows(a), K: s.K, C: s.C, Start: out.Start})
	return s, out, nil
}

// startCholesky computes L = U⁻ᵀ for the Cholesky factor U of AᵀA + lambda I. It returns a
// *ConditionError where that is not accurate enough.
func (s *State) startCholesky(ctx context.Context, a, y *mat.Dense) error {
	factor, rcond, err := s.StartFactor(ctx, a)
	if err != nil {
		return err
	}
	if !state.WellConditioned(rcond, dense.Rows(a)) {
		return &api.ConditionError{What: state.GramMatrix, RCond: rcond}
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return err
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	s.L = dense.ScaledIdentity(s.K, 1)
	if factor.SolveUTriangle(s.L) != nil {
		return api.ErrOverflow
	}
	return nil
}

// startQR computes R and z = Qᵀ[0; Y] of a QR factorization of [sqrt(lambda) I; A], L = R⁻ᵀ and W =
// R⁻¹z.
func (s *State) startQR(ctx context.Context, a, y *mat.Dense) error {
	const what = "the rows of A"
	r, z := dense.ScaledIdentity(s.K, math.Sqrt(s.Lambda)), mat.NewDense(s.K, s.C, nil)
	err := s.EachPanel(ctx, cost.StepFactor, dense.Rows(a), func(from, to int) error {
		if lapack.AppendRows(s.Counter, r, z, dense.RowRange(a, from, to), dense.Copy(dense.RowRange(y, from, to))) != nil {
			return api.ErrOverflow
		}
		return nil
	})
	if err != nil {
		return err
	}
	rcond := lapack.RCondTriangle(s.Counter, r)
	if !(rcond > dense.RankTolerance(dense.Rows(a), s.K)) {
		return &api.ConditionError{What: what, RCond: rcond, Instead: []api.Method{api.QR, api.Improved}}
	}
	s.Counter.Enter(cost.StepSolve)
	if err := lapack.SolveTriangular(s.Counter, z, r, false); err != nil {
		return state.TriangleError(what, err)
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	if err := lapack.InvertTriangle(s.Counter, r); err != nil {
		return state.TriangleError(what, err)
	}
	s.L, s.W = dense.Transposed(r), z
	return nil
}
