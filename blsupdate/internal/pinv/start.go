package pinv

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

	"gonum.org/v1/gonum/blas"
)

// Start computes A⁺ and W.
func Start(ctx context.Context, m api.Method, base state.Base, a, y *mat.Dense) (_ *State, out state.Outcome, err error) {
	l, k := a.Dims()
	u := Empty(m, base)
	s, err := u.start(ctx, a)
	if err != nil {
		return nil, out, err
	}
	p := s.p.RawMatrix().Data
	u.p = rows{cols: k}
	u.p.append(p)
	u.rank, u.norm = s.rank, a.Norm(2)
	u.a = rows{cols: k}
	if u.computesC() {
		u.a.append(dense.Compact(a))
	}
	u.w = mat.NewDense(k, u.C, nil)
	err = u.EachPanel(ctx, cost.StepInitial, l, func(from, to int) error {
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(s.p, from, to), dense.RowRange(y, from, to), 1, u.w)
		return nil
	})
	if err != nil {
		return nil, out, err
	}
	if !dense.Finite(s.p, u.w) {
		return nil, out, api.ErrOverflow
	}
	u.keys = rowKeys(y, a)
	u.worst.power, u.drift = 1, 1
	if u.Lambda > 0 {
		u.remember(1 / (s.rcond * u.size()))
	} else {
		u.remember(u.p.norm())
	}
	model := cost.PinvStart(u.Options, cost.Shape{L: l, K: k, C: u.C, Start: s.start, Rank: s.rank})
	return u, state.Outcome{Start: s.start, Abandoned: s.abandoned, Model: model}, nil
}

// A first is a first A⁺.
type first struct {
	p     *mat.Dense // (A⁺)ᵀ, l×k, without gaps
	rank  int        // of A; k for a ridge
	rcond float64    // for a ridge, the estimated 1/κ of [A; sqrt(lambda) I]
	start api.Start

	abandoned float64 // flops of an attempt that was given up
}

// start finds the first A⁺ in the cheapest way that the condition of A allows.
func (u *State) start(ctx context.Context, a *mat.Dense) (first, error) {
	l, k := a.Dims()
	if l < k && u.Lambda == 0 {
		if err := u.Enter(ctx, cost.StepFactor); err != nil {
			return first{}, err
		}
		p, rank, err := u.truncatedInverse(ctx, a)
		return first{p: p, rank: rank, start: api.StartSVD}, err
	}
	s, ok, err := u.startCholesky(ctx, a)
	if ok || err != nil {
		return s, err
	}
	abandoned := u.Counter.Flops()
	u.Counter.Reset()
	s, err = u.startQR(ctx, a)
	s.abandoned = abandoned
	return s, err
}

// startCholesky computes P = A (AᵀA + lambda I)⁻¹ and reports whether that is accurate enough.
func (u *State) startCholesky(ctx context.Context, a *mat.Dense) (s first, ok bool, err error) {
	l, k := a.Dims()
	chol, rcond, err := u.StartFactor(ctx, a)
	var singular *api.ConditionError
	if errors.As(err, &singular) || errors.Is(err, api.ErrOverflow) { // of AᵀA, where A may be well-conditioned
		return s, false, nil
	}
	if err != nil || !state.WellConditioned(rcond, l) {
		return s, false, err
	}
	p := dense.Copy(a)
	err = u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
		dst := dense.RowRange(p, from, to)
		return chol.SolveRowsTo(dst, dst)
	})
	return first{p: p, rank: k, rcond: math.Sqrt(rcond), start: api.StartCholesky}, err == nil, err
}

// errSmallRidge says why a ridge does not make up for dependent columns.
var errSmallRidge = errors.New("the columns of A are dependent and lambda is nothing beside them: take a larger one, or 0 for the pseudoinverse")

// startQR computes P = Q R⁻ᵀ from a QR factorization of A, or the first l rows of that for A above
// sqrt(lambda) I. Where R is singular to working precision and there is no ridge, it goes on with the
// singular values of R.
func (u *State) startQR(ctx context.Context, a *mat.Dense) (s first, err error) {
	l, k := a.Dims()
	if err := u.Enter(ctx, cost.StepFactor); err != nil {
		return s, err
	}
	rows := []*mat.Dense{a}
	if u.Lambda > 0 {
		rows = append(rows, dense.ScaledIdentity(k, math.Sqrt(u.Lambda)))
	}
	q, r, rcond, err := u.orthogonalized(rows...)
	if err != nil {
		return s, api.ErrOverflow // the rows are finite
	}
	regular := rcond > dense.RankTolerance(l, k)
	if u.Lambda > 0 && !regular {
		return s, &api.ConditionError{What: "[A; sqrt(lambda) I]", RCond: rcond, Err: errSmallRidge}
	}
	q = dense.RowRange(q, 0, l)
	if regular {
		err := u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
			if lapack.SolveTriangularRows(u.Counter, dense.RowRange(q, from, to), r, true) != nil {
				return api.ErrOverflow // R is regular and finite
			}
			return nil
		})
		return first{p: q, rank: k, rcond: rcond, start: api.StartQR}, err
	}
	inverse, rank, err := u.truncatedInverse(ctx, r)
	if err != nil {
		return s, err
	}
	p := mat.NewDense(l, k, nil)
	err = u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
		mat.Mul(u.Counter, dense.RowRange(p, from, to), dense.RowRange(q, from, to), inverse)
		return nil
	})
	return first{p: p, rank: rank, start: api.StartSVD}, err
}

// truncatedInverse returns the transpose of the pseudoinverse of a, and the rank, where singular values
// below RankTolerance of the largest one count as zero. The product is accounted to StepStart.
func (u *State) truncatedInverse(ctx context.Context, a *mat.Dense) (*mat.Dense, int, error) {
	m, n := a.Dims()
	values, us, vs, err := dense.SVD(u.Counter, a)
	if err != nil {
		return nil, 0, err
	}
	if err := u.Enter(ctx, cost.StepStart); err != nil {
		return nil, 0, err
	}
	rank := countAbove(values, dense.RankTolerance(m, n)*values[0], len(values))
	return u.inverseOf(values[:rank], us, vs), rank, nil
}
