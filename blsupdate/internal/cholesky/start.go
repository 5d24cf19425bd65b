package cholesky

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// newInverseCholesky computes F = R⁻¹ where RᵀR = AᵀA + lambda I: R is the Cholesky factor where the
// condition of that matrix allows, else it comes from a QR factorization of A below sqrt(lambda) I.
func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (*State, state.Outcome, error) {
	s := &State{Base: base, Gain: 1}
	size, err := state.NewNorms(s.K, s.C).With(a, y).Safe()
	if err != nil {
		return nil, state.Outcome{}, err
	}
	s.size = size
	start, err := s.startCholesky(ctx, a, y)
	var singular *api.ConditionError
	abandoned := 0.0
	if errors.As(err, &singular) {
		abandoned = s.Counter.Flops()
		s.Counter.Reset()
		start, err = api.StartQR, s.startQR(ctx, a, y)
	}
	if err != nil {
		return nil, state.Outcome{}, err
	}
	s.NormL, s.MostW = s.frobenius(), dense.LargestOf(s.W.RawMatrix().Data)
	if !(s.NormL < math.MaxFloat64/4) {
		return nil, state.Outcome{}, api.ErrOverflow
	}
	s.worst = 1
	s.noteCondition()
	return s, state.Outcome{Model: cost.CholeskyStart(cost.Shape{L: dense.Rows(a), K: s.K, C: s.C, Start: start}), Start: start, Abandoned: abandoned}, nil
}

// startCholesky computes L = U⁻ᵀ from the Cholesky factor U of AᵀA + lambda I. The error is a *ConditionError
// where that is not accurate enough.
func (s *State) startCholesky(ctx context.Context, a, y *mat.Dense) (api.Start, error) {
	factor, rcond, err := s.StartFactor(ctx, a)
	if err != nil {
		return 0, err
	}
	if !state.WellConditioned(rcond, dense.Rows(a)) {
		return 0, &api.ConditionError{What: "A'A + lambda I", RCond: rcond}
	}
	if err := interrupt.Check(ctx); err != nil {
		return 0, err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return 0, err
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return 0, err
	}
	defer s.Counter.Leave()
	s.L = dense.ScaledIdentity(s.K, 1)
	if err := factor.SolveUTriangle(s.L); err != nil {
		return 0, api.ErrOverflow
	}
	return api.StartCholesky, nil
}

// startQR computes R and z = Qᵀ[0; Y] of a QR factorization of [sqrt(lambda) I; A], L = R⁻ᵀ and W =
// R⁻¹z.
func (s *State) startQR(ctx context.Context, a, y *mat.Dense) error {
	s.Counter.Enter(cost.StepFactor)
	defer s.Counter.Leave()
	r, z := dense.ScaledIdentity(s.K, math.Sqrt(s.Lambda)), mat.NewDense(s.K, s.C, nil)
	err := state.EachPanel(ctx, dense.Rows(a), func(from, to int) error {
		if lapack.AppendRows(s.Counter, r, z, dense.RowRange(a, from, to), gonummat.DenseCopyOf(dense.RowRange(y, from, to))) != nil {
			return api.ErrOverflow
		}
		return nil
	})
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return err
	}
	rcond := lapack.RCondTriangle(s.Counter, r)
	if !(rcond > dense.RankTolerance(dense.Rows(a), s.K)) {
		return &api.ConditionError{What: "the rows of A", RCond: rcond, Instead: []api.Method{api.QR, api.Improved}}
	}
	s.Counter.Enter(cost.StepSolve)
	if err := lapack.SolveTriangular(s.Counter, z, r, false); err != nil {
		return state.TriangleError("the rows of A", err)
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	if err := lapack.InvertTriangle(s.Counter, r); err != nil {
		return state.TriangleError("the rows of A", err)
	}
	s.L, s.W = dense.TransposedTriangle(r), z
	return nil
}
