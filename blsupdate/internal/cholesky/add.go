package cholesky

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Add updates F and W for the q new rows in ax, with the targets ya.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	next := *s
	if next.Size, err = s.Size.With(ax, ya, s.Lambda).Safe(); err != nil {
		return out, err
	}
	q := dense.Rows(ax)
	form := cost.CholeskyForm(s.Options.Form, q, s.K)
	var before []float64
	if next.Reach().RCond() <= state.Recedes { // the norms of all rows take too long to compute each time
		before = s.rows()
	}
	next.NoteWeights(q)
	large, fit := false, []float64(nil)
	if form == types.Large {
		large, fit, err = next.addLarge(ctx, ax, ya)
	} else {
		_, err = next.byRows(ctx, 1, ax, ya, 0)
	}
	if err != nil {
		return out, err
	}
	next.NoteWeights(q)
	next.NoteGain(q, 1, &s.Inverse, s.Rows, fit)
	if before != nil {
		next.Rows = state.Receded(next.Rows, s.Size.A, next.Size.A, before)
	}
	*s = next
	return state.Outcome{Model: cost.CholeskyAdd(form, q, s.K, s.C, large), Form: form}, nil
}

// Remove removes the rows ax with the targets ya: a few rows one by one, more rows together.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q, ctx := dense.Rows(ax), context.Background()
	if err := s.CheckLeft(q); err != nil {
		return out, err
	}
	limit, err := state.RemovalLimit(s.Reach().RCond(), 1)
	if err != nil {
		return out, err
	}
	next := *s
	next.Size = s.Size.Scaled(1) // a copy, to which the residuals of the rows are added
	var rest float64
	if cost.CholeskyForm(types.Auto, q, s.K) == types.Large {
		var seen *mat.Dense
		if seen, err = next.seen(ctx, types.ActionRemove, ax); err == nil {
			rest, _, err = next.applySeen(ctx, -1, seen, ax, ya, limit)
		}
	} else {
		rest, err = next.byRows(ctx, -1, ax, ya, limit)
	}
	if err != nil {
		return out, err
	}
	rest, err = next.CheckParts(rest, limit, ax, next.Gain, func(u []float64) []float64 {
		s.Counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.K, next.data(), s.K, u, 1)
		dense.Scale(next.Gain, u)
		s.Counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.K, next.data(), s.K, u, 1)
		return u
	})
	if err != nil {
		return out, err
	}
	next.Size = next.Size.Without(ax, ya, s.Lambda, rest, state.CloseRest, nil)
	next.noteRows()
	next.NoteWeights(q)
	next.NoteGain(q, rest, &s.Inverse, next.rows(), nil)
	*s = next
	return state.Outcome{Model: cost.CholeskyRemove(q, s.K, s.C)}, nil
}

// maxKernel is the largest leverage of the new rows, the largest eigenvalue of SᵀS for S = Ax F, at
// which I + SᵀS is formed. In directions to which S adds nothing, the error of I + SᵀS relative to I is
// eps times the leverage. Above maxKernel, U is the R of a QR factorization of [I; S], with an error of
// eps times the square root of the leverage. Nearly all new rows have a large leverage while the model
// has hardly more rows than nodes, or if only a small ridge determines some direction.
const maxKernel = 1e4

// maxGrown is the largest factor by which an addition may make the norm of F grow. In exact arithmetic
// no addition makes F grow. The error of U is a few eps relative to its columns, so rows of leverage
// above 1/eps² leave nothing of the I in I + SᵀS, and F grows although it should not. Growth by 1%
// means errors in F that no later rows remove.
const maxGrown = 1.01

var errGrown = errors.New("the inverse factor grew, which exact arithmetic rules out: the added rows are too large compared with the others")

// Names of the matrices in errors.
const (
	addedKernel   = "I + F'Ax'Ax F"
	removedKernel = "I - F'Ax'Ax F"
	addedGain     = "I + Ax F F'Ax'"
	removedGain   = "I - Ax F F'Ax'"
)

// addLarge adds rows with a matrix of order k, and reports whether their leverage is above maxKernel.
// fit, if not nil, has the norms of the columns of V in W := W + F V for the new F.
func (s *State) addLarge(ctx context.Context, ax, ya *mat.Dense) (large bool, fit []float64, err error) {
	seen, err := s.seen(ctx, types.ActionAdd, ax)
	if err != nil {
		return false, nil, err
	}
	before := s.frobenius()
	if large = s.SquaredNorm(seen) > maxKernel; large {
		fit, err = s.addSeenByQR(ctx, seen, ax, ya)
	} else {
		_, fit, err = s.applySeen(ctx, 1, seen, ax, ya, 0)
	}
	if err == nil && s.BoundX > maxGrown*before {
		err = &types.ConditionError{What: addedKernel, Err: errGrown, Instead: []types.Method{types.QR}}
	}
	return large, fit, err
}

// seen returns S = Ax F. It first checks that there is memory for I ± SᵀS and the larger of S and F.
func (s *State) seen(ctx context.Context, action types.Action, ax *mat.Dense) (*mat.Dense, error) {
	q := dense.Rows(ax)
	bytes := memory.Sum(memory.Triangle(s.K), memory.Floats(max(q, s.K), s.K))
	if err := s.Reserve(action, q, bytes); err != nil {
		return nil, err
	}
	s.Counter.Enter(cost.StepS)
	seen := dense.Copy(ax)
	err := state.EachPanel(ctx, q, func(from, to int) error {
		x := dense.RowRange(seen, from, to)
		s.timesF(x, false)
		if floats.FirstNonFinite(x.RawMatrix().Data) >= 0 {
			return types.ErrOverflow
		}
		return nil
	})
	return seen, err
}

// applySeen adds rows (sign = 1) or removes them (-1) with a matrix of order k. With S = Ax F and UᵀU =
// I + sign SᵀS,
//
//	F := F U⁻¹,   W := W + sign F (I + sign SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// F U⁻¹ is computed in place as L := U⁻ᵀL. For q <= k a matrix of order q gives W,
//
//	W += sign F Sᵀ(I + sign S Sᵀ)⁻¹(Ya - Ax W),
//
// which is more accurate, especially for large rows. In a removal rest is 1-h, the smallest eigenvalue
// of I - SᵀS, and a rest below limit causes a *LeverageError. In an addition rest is 1. fit is as in
// addLarge, and nil except in an addition with q > k.
func (s *State) applySeen(ctx context.Context, sign float64, seen, ax, ya *mat.Dense, limit float64) (rest float64, fit []float64, err error) {
	q, k := dense.Rows(seen), s.K
	panel, beta, what := state.PanelRows, 1.0, addedKernel
	if sign < 0 { // a removal has no context to check
		panel, beta, what = q, 0, removedKernel
	}
	s.Counter.Enter(cost.StepKernel)
	inner := mat.NewSymPacked(k, nil)
	err = interrupt.EachPanel(ctx, q, panel, func(from, to int) error {
		dense.Sprk(s.Counter, sign, dense.RowRange(seen, from, to), beta, inner)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	inner.AddDiagonal(1)
	if err := s.Enter(ctx, cost.StepFactor); err != nil {
		return 0, nil, err
	}
	u, rest, err := s.KernelFactor(inner, what, limit)
	if err != nil {
		return 0, nil, err
	}

	v, innovation := mat.NewDense(k, s.C, nil), make([]float64, s.C)
	if q <= k {
		panel = q
	}
	err = interrupt.EachPanel(ctx, q, panel, func(from, to int) error {
		s.Counter.Enter(cost.StepWeights)
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W)
		if q <= k {
			before := dense.Copy(e)
			if err := s.gainSolve(sign, seen, e); err != nil {
				return err
			}
			left := s.Fitted(sign, before, e)
			if sign < 0 {
				left = dense.ColumnNorms(e)
			}
			state.AddLengths(s.Size.Rest, left)
		} else {
			state.AddLengths(innovation, s.FittedBy(sign, e))
		}
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(seen, from, to), e, beta, v)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	switch {
	case q <= k:
		s.fTimes(v)
	case sign > 0: // F v for the new F comes below
		err = u.SolveUTo(v, v, true)
		fit = s.FittedBy(-1, v)
		for j, norm := range fit { // EᵀE' = EᵀE - VᵀV
			blur := math.Sqrt(state.Unit(q, k)) * innovation[j]
			innovation[j] = detmath.Hypot(state.Leg(innovation[j], norm), blur)
		}
	default:
		before := dense.Copy(v)
		err = u.SolveTo(v, v)
		s.Fitted(-1, before, v)
		s.fTimes(v)
		dense.Scale(1/rest, innovation)
	}
	state.AddLengths(s.Size.Rest, innovation)
	if err != nil {
		return 0, nil, types.ErrOverflow
	}

	if err := s.Enter(ctx, cost.StepF); err != nil {
		return 0, nil, err
	}
	s.L = s.copyL()
	if err := u.SolveUTriangle(s.L); err != nil {
		return 0, nil, types.ErrOverflow
	}
	s.Counter.Enter(cost.StepWeights)
	if q > k && sign > 0 {
		s.fTimes(v)
	}
	return rest, fit, s.replaced(sign, v)
}

// gainSolve overwrites E with (I + sign S Sᵀ)⁻¹E, where S is seen.
func (s *State) gainSolve(sign float64, seen, e *mat.Dense) error {
	inner := mat.NewSymPacked(dense.Rows(seen), nil)
	dense.Gemmtp(s.Counter, sign, seen, seen, 0, inner)
	inner.AddDiagonal(1)
	what := addedGain
	if sign < 0 {
		what = removedGain
	}
	factor, err := s.Factor(inner, what, types.QR)
	if err == nil && factor.SolveTo(e, e) != nil {
		err = types.ErrOverflow
	}
	return err
}

// addSeenByQR adds rows, and returns the norms of the columns of z as fit. With seen, S = Ax F, the
// residuals E = Ya - Ax W, the thin QR factorization [I; S] = Q U and z = Qᵀ[0; E],
//
//	F := F U⁻¹,   W := W + F z.
func (s *State) addSeenByQR(ctx context.Context, seen, ax, ya *mat.Dense) (fit []float64, err error) {
	u, z := dense.ScaledIdentity(s.K, 1), mat.NewDense(s.K, s.C, nil)
	err = state.EachPanel(ctx, dense.Rows(ax), func(from, to int) error {
		s.Counter.Enter(cost.StepWeights)
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W)
		s.Counter.Enter(cost.StepFactor)
		err := lapack.AppendRows(s.Counter, u, z, dense.RowRange(seen, from, to), e)
		state.AddLengths(s.Size.Rest, s.FittedBy(1, e))
		return state.Overflow(err)
	})
	if err != nil {
		return nil, err
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return nil, err
	}
	s.L = s.copyL()
	if err := lapack.SolveTriangular(s.Counter, s.L, u, true); err != nil {
		return nil, s.triangleError(addedKernel, err)
	}
	for i := range s.K {
		clear(s.L.RawRowView(i)[i+1:]) // the solve leaves negative zeros there
	}
	s.Counter.Enter(cost.StepWeights)
	fit = dense.ColumnNorms(z)
	s.fTimes(z)
	return fit, s.replaced(1, z)
}

// replaced sets W to W + sign V in new storage, and updates BoundW and BoundX for the new W and L. It
// returns ErrOverflow if an element of W is not finite or L is too large.
func (s *State) replaced(sign float64, v *mat.Dense) error {
	s.W = dense.Copy(s.W)
	dense.Add(s.W.RawMatrix().Data, sign, v.RawMatrix().Data)
	return s.measure()
}

func (s *State) measure() error {
	w := s.W.RawMatrix().Data
	s.BoundX, s.BoundW = s.frobenius(), dense.LargestOf(w)
	if !(s.BoundX < math.MaxFloat64/4) || floats.FirstNonFinite(w) >= 0 {
		return types.ErrOverflow
	}
	return nil
}
