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
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// add brings F and W up to date by q more rows.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	size, err := s.size.With(ax, ya).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.size = size
	q := dense.Rows(ax)
	form := cost.CholeskyForm(s.Options.Form, q, s.K)
	large := false
	if form == api.Large {
		large, err = next.addLarge(ctx, ax, ya)
	} else {
		_, err = next.byRows(ctx, 1, ax, ya, 1)
	}
	if err != nil {
		return state.Outcome{}, err
	}
	*s = next
	return state.Outcome{Model: cost.CholeskyAdd(form, q, s.K, s.C, large), Form: form}, nil
}

// mostKernel is the norm of SᵀS, the size of the new rows as the old ones see it, up to which I + SᵀS
// is formed: its error is eps times the norm, which where S adds nothing is an error of that size
// relative to the I. For larger rows U is the triangle of a QR factorization of [I; S], with an error
// of eps times the root of the norm. They are not unusual: as long as there are hardly more rows than
// nodes, or a small ridge is all there is in some direction, nearly all new rows are.
const mostKernel = 1e4

// addLarge updates F by a matrix of order k: with S = Ax F and UᵀU = I + SᵀS,
//
//	F := F U⁻¹,   W := W + F (I + SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// F U⁻¹ is a solution for its transpose, in place: L := U⁻ᵀL for L = Fᵀ. It returns whether the rows
// are large.
func (s *State) addLarge(ctx context.Context, ax, ya *mat.Dense) (large bool, err error) {
	if err := s.roomForLarge(api.ActionAdd, dense.Rows(ax)); err != nil {
		return false, err
	}
	seen, err := s.seen(ctx, ax)
	if err != nil {
		return false, err
	}
	before := s.frobenius()
	if large = s.SquaredNorm(seen) > mostKernel; large {
		err = s.addSeenByQR(ctx, seen, ax, ya)
	} else {
		err = s.addSeen(ctx, seen, ax, ya)
	}
	if err != nil {
		return large, err
	}
	s.NormL = s.frobenius()
	switch {
	case !(s.NormL < math.MaxFloat64/4):
		return large, api.ErrOverflow
	case s.NormL > mostGrown*before:
		return large, &api.ConditionError{What: "I + F'Ax'Ax F", Err: errGrown, Instead: []api.Method{api.QR}}
	}
	return large, nil
}

// roomForLarge asks for the memory of an addition or a removal of q rows in the form Large: for I + SᵀS beside S, and
// beside the new F.
func (s *State) roomForLarge(action api.Action, q int) error {
	return s.Reserve(api.InverseCholesky, action, q, memory.Sum(memory.Triangle(s.K), memory.Floats(max(q, s.K), s.K)))
}

// mostGrown is the factor of the norm of F from which on an addition is refused. In exact arithmetic no addition makes
// it larger. The error of U relative to its columns is some eps, so that rows 1/eps times as large as the old ones see
// themselves leave nothing of the I in I + SᵀS: F then grows by any factor where it should stay what it is. By 1% it
// has errors that no later rows take away.
const mostGrown = 1.01

var errGrown = errors.New("the inverse factor has grown, which added rows cannot bring about: they are too large beside the others")

// seen returns S = Ax F, in new storage.
func (s *State) seen(ctx context.Context, ax *mat.Dense) (*mat.Dense, error) {
	defer s.Counter.Leave()
	seen := gonummat.DenseCopyOf(ax)
	err := s.EachPanel(ctx, cost.StepS, dense.Rows(ax), func(from, to int) error {
		x := seen.RawMatrix().Data[from*s.K : to*s.K]
		s.timesF(x, to-from, false)
		if isfinite.First(x) >= 0 {
			return api.ErrOverflow
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return seen, nil
}

// addSeen adds rows by the Cholesky factor of I + SᵀS. For q <= k, W is brought up to date by a matrix
// of order q,
//
//	W += F Sᵀ(I + S Sᵀ)⁻¹(Ya - Ax W),
//
// which is the more accurate the larger the new rows are.
func (s *State) addSeen(ctx context.Context, seen, ax, ya *mat.Dense) error {
	q, k, c := dense.Rows(seen), s.K, s.C
	defer s.Counter.Leave()
	x := seen.RawMatrix().Data
	inner := mat.NewSymPacked(k, nil)
	err := s.EachPanel(ctx, cost.StepKernel, q, func(from, to int) error {
		s.Counter.Dsprk(blas.Trans, k, to-from, 1, x[from*k:], k, 1, inner.RawSymPacked().Data)
		return nil
	})
	if err != nil {
		return err
	}
	inner.AddDiagonal(1)
	if err := s.Enter(ctx, cost.StepFactor); err != nil {
		return err
	}
	factor, err := s.DefiniteFactor(inner, "I + F'Ax'Ax F")
	if err != nil {
		return err
	}

	v := mat.NewDense(k, c, nil)
	rv := v.RawMatrix().Data
	most := state.ContextRows
	if q <= k {
		most = q
	}
	err = interrupt.EachPanel(ctx, q, most, func(from, to int) error {
		s.Counter.Enter(cost.StepWeights)
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W)
		if q <= k {
			if err := s.gainSolve(1, seen, e); err != nil {
				return err
			}
		}
		s.Counter.Dgemm(blas.Trans, blas.NoTrans, k, c, to-from, 1, x[from*k:], k, e.RawMatrix().Data, c, 1, rv, c)
		return nil
	})
	if err != nil {
		return err
	}
	if q <= k {
		s.fTimes(rv)
	} else if err := factor.SolveUTo(v, v, true); err != nil {
		return api.ErrOverflow
	}

	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	if err := s.shrink(factor); err != nil {
		return err
	}
	s.Counter.Enter(cost.StepWeights)
	if q > k {
		s.fTimes(rv)
	}
	return s.addWeights(1, rv)
}

// gainSolve overwrites E by (I + sign S Sᵀ)⁻¹E.
func (s *State) gainSolve(sign float64, seen, e *mat.Dense) error {
	q, x := dense.Rows(seen), seen.RawMatrix().Data
	inner := mat.NewSymPacked(q, nil)
	s.Counter.Dgemmtp(blas.NoTrans, blas.Trans, q, s.K, sign, x, s.K, x, s.K, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)
	factor, err := s.DefiniteFactor(inner, "I + Ax F F'Ax'")
	if err != nil {
		return err
	}
	if err := factor.SolveTo(e, e); err != nil {
		return api.ErrOverflow
	}
	return nil
}

// shrink computes F := F U⁻¹ on a copy.
func (s *State) shrink(factor *lapack.Cholesky) error {
	s.L = s.cloneL()
	if err := factor.SolveUTriangle(s.L); err != nil {
		return api.ErrOverflow
	}
	return nil
}

// addWeights adds sign V to W, on a copy.
func (s *State) addWeights(sign float64, v []float64) error {
	s.W = gonummat.DenseCopyOf(s.W)
	w := s.W.RawMatrix().Data
	for i, x := range v {
		w[i] += sign * x
	}
	if isfinite.First(w) >= 0 {
		return api.ErrOverflow
	}
	s.MostW = dense.LargestOf(w)
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
	s.L = s.cloneL()
	if err := lapack.SolveTriangular(s.Counter, s.L, u, true); err != nil {
		return state.TriangleError("I + F'Ax'Ax F", err)
	}
	l := s.L.RawMatrix().Data
	for i := range s.K {
		clear(l[i*s.K+i+1 : (i+1)*s.K]) // of zeros with a sign
	}
	s.Counter.Enter(cost.StepWeights)
	s.fTimes(z.RawMatrix().Data)
	return s.addWeights(1, z.RawMatrix().Data)
}
