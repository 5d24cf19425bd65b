package cholesky

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// applySeen adds rows (sign = 1) or removes them (-1) by the Cholesky factor U of I + sign SᵀS, which
// check may refuse. For q <= k a matrix of order q gives W,
//
//	W += sign F Sᵀ(I + sign S Sᵀ)⁻¹(Ya - Ax W),
//
// which is the more accurate the larger the new rows are.
func (s *State) applySeen(ctx context.Context, sign float64, seen, ax, ya *mat.Dense, check func(u *lapack.Cholesky) error) error {
	q, k := dense.Rows(seen), s.K
	panel, beta, what := state.PanelRows, 1.0, "I + F'Ax'Ax F"
	if sign < 0 { // a removal has no context to check
		panel, beta, what = q, 0, "I - F'Ax'Ax F"
	}
	defer s.Counter.Leave()
	s.Counter.Enter(cost.StepKernel)
	inner := mat.NewSymPacked(k, nil)
	err := interrupt.EachPanel(ctx, q, panel, func(from, to int) error {
		dense.Sprk(s.Counter, sign, dense.RowRange(seen, from, to), beta, inner)
		return nil
	})
	if err != nil {
		return err
	}
	inner.AddDiagonal(1)
	if err := s.Enter(ctx, cost.StepFactor); err != nil {
		return err
	}
	u, err := s.Factor(inner, what, api.QR)
	if err != nil {
		return err
	}
	if err := check(u); err != nil {
		return err
	}

	v := mat.NewDense(k, s.C, nil)
	if q <= k {
		panel = q
	}
	err = interrupt.EachPanel(ctx, q, panel, func(from, to int) error {
		s.Counter.Enter(cost.StepWeights)
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W)
		if q <= k {
			if err := s.gainSolve(sign, seen, e); err != nil {
				return err
			}
		}
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(seen, from, to), e, beta, v)
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case q <= k:
		s.fTimes(v)
	case sign > 0: // F v for the new F comes below
		err = u.SolveUTo(v, v, true)
	default:
		err = u.SolveTo(v, v)
		s.fTimes(v)
	}
	if err != nil {
		return api.ErrOverflow
	}

	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	s.L = s.copyL()
	if err := u.SolveUTriangle(s.L); err != nil {
		return api.ErrOverflow
	}
	s.Counter.Enter(cost.StepWeights)
	if q > k && sign > 0 {
		s.fTimes(v)
	}
	return s.replaced(sign, v)
}

// gainSolve overwrites E by (I + sign S Sᵀ)⁻¹E.
func (s *State) gainSolve(sign float64, seen, e *mat.Dense) error {
	inner := mat.NewSymPacked(dense.Rows(seen), nil)
	dense.Gemmtp(s.Counter, sign, seen, seen, 0, inner)
	inner.AddDiagonal(1)
	factor, err := s.Factor(inner, "I + Ax F F'Ax'", api.QR)
	if err != nil {
		return err
	}
	if err := factor.SolveTo(e, e); err != nil {
		return api.ErrOverflow
	}
	return nil
}

// replaced measures the new F, and adds sign V to a copy of W.
func (s *State) replaced(sign float64, v *mat.Dense) error {
	s.W = dense.Copy(s.W)
	w := s.W.RawMatrix().Data
	for i, x := range v.RawMatrix().Data {
		w[i] += sign * x
	}
	return s.measure()
}

// measure measures the new F and W, and returns ErrOverflow where they are not finite.
func (s *State) measure() error {
	w := s.W.RawMatrix().Data
	s.Most, s.MostW = s.frobenius(), dense.LargestOf(w)
	if !(s.Most < math.MaxFloat64/4) || isfinite.First(w) >= 0 {
		return api.ErrOverflow
	}
	return nil
}

// addSeenByQR adds rows by the triangle U and z = Qᵀ[0; E] of a QR factorization of [I; S], with E = Ya
// - Ax W:
//
//	F := F U⁻¹,   W := W + F z.
func (s *State) addSeenByQR(ctx context.Context, seen, ax, ya *mat.Dense) error {
	defer s.Counter.Leave()
	u, z := dense.ScaledIdentity(s.K, 1), mat.NewDense(s.K, s.C, nil)
	err := state.EachPanel(ctx, dense.Rows(ax), func(from, to int) error {
		s.Counter.Enter(cost.StepWeights)
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W)
		s.Counter.Enter(cost.StepFactor)
		if lapack.AppendRows(s.Counter, u, z, dense.RowRange(seen, from, to), e) != nil {
			return api.ErrOverflow
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	s.L = s.copyL()
	if err := lapack.SolveTriangular(s.Counter, s.L, u, true); err != nil {
		return state.TriangleError("I + F'Ax'Ax F", err)
	}
	for i := range s.K {
		clear(s.L.RawRowView(i)[i+1:]) // of zeros with a sign
	}
	s.Counter.Enter(cost.StepWeights)
	s.fTimes(z)
	return s.replaced(1, z)
}
