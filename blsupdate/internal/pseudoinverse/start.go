package pseudoinverse

import (
	"cmp"
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Start computes A⁺ and W.
func (u *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	l, k := a.Dims()
	u.norm, u.worst.power, u.drift = dense.Frobenius(a), 1, 1
	first, err := u.start(ctx, a, &out)
	if err != nil {
		return out, err
	}
	u.p = rows{cols: k}
	u.p.append(first.RawMatrix().Data)
	u.a = rows{cols: k}
	if u.computesC() {
		u.a.append(dense.Compact(a))
	}
	u.w = mat.NewDense(k, u.C, nil)
	err = u.EachPanel(ctx, cost.StepInitial, l, func(from, to int) error {
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(first, from, to), dense.RowRange(y, from, to), 1, u.w)
		return nil
	})
	if err != nil {
		return out, err
	}
	if !dense.Finite(first, u.w) {
		return out, types.ErrOverflow
	}
	u.know(y, a)
	u.Refitted(u.w, y, a)
	if u.Lambda == 0 {
		u.remember(u.p.norm())
	}
	out.Model = cost.PseudoinverseStart(u.Options, cost.Shape{L: l, K: k, C: u.C, Start: out.Start, Rank: u.rank})
	return out, nil
}

// start returns the first (A⁺)ᵀ, without gaps, in the cheapest way that the condition of A allows. It
// notes the rank of A, and for a ridge the condition.
func (u *State) start(ctx context.Context, a *mat.Dense, out *state.Outcome) (*mat.Dense, error) {
	l, k := a.Dims()
	out.Start, u.rank = types.StartSVD, k
	if l < k && u.Lambda == 0 {
		if err := u.Enter(ctx, cost.StepFactor); err != nil {
			return nil, err
		}
		return u.truncatedInverse(ctx, a)
	}
	p, err := u.startCholesky(ctx, a)
	var singular *types.ConditionError // of AᵀA, where A may be well-conditioned
	if !errors.As(err, &singular) && !errors.Is(err, types.ErrOverflow) {
		out.Start = types.StartCholesky
		return p, err
	}
	out.Abandoned = u.Counter.Flops()
	u.Counter.Reset()
	return u.startQR(ctx, a, out)
}

// rememberRidge notes the reciprocal condition number of [A; sqrt(lambda) I].
func (u *State) rememberRidge(rcond float64) {
	if u.Lambda > 0 {
		u.remember(1 / (rcond * u.size()))
	}
}

// startCholesky computes P = A (AᵀA + lambda I)⁻¹ where that is accurate enough.
func (u *State) startCholesky(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	chol, rcond, err := u.StartFactor(ctx, a, state.AccurateStart(a))
	if err != nil {
		return nil, err
	}
	u.rememberRidge(math.Sqrt(rcond))
	p := dense.Copy(a)
	return p, u.EachPanel(ctx, cost.StepStart, dense.Rows(a), func(from, to int) error {
		dst := dense.RowRange(p, from, to)
		return chol.SolveRowsTo(dst, dst)
	})
}

// errSmallRidge says why a ridge does not make up for dependent columns.
var errSmallRidge = errors.New("the columns of A are dependent and lambda is nothing beside them: take a larger one, or 0 for the pseudoinverse")

// startQR computes P = Q R⁻ᵀ from a QR factorization of A, or the first l rows of that for A above
// sqrt(lambda) I. Where R is singular to working precision and there is no ridge, it goes on with the
// singular values of R.
func (u *State) startQR(ctx context.Context, a *mat.Dense, out *state.Outcome) (*mat.Dense, error) {
	l, k := a.Dims()
	if err := u.Enter(ctx, cost.StepFactor); err != nil {
		return nil, err
	}
	rows := []*mat.Dense{a}
	if u.Lambda > 0 {
		rows = append(rows, dense.ScaledIdentity(k, math.Sqrt(u.Lambda)))
	}
	q, r, rcond, err := dense.QR(ctx, u.Counter, rows...)
	if err != nil {
		return nil, cmp.Or(interrupt.Check(ctx), error(types.ErrOverflow)) // the rows are finite
	}
	q = dense.RowRange(q, 0, l)
	if rcond > dense.RankTolerance(l, k) {
		out.Start = types.StartQR
		u.rememberRidge(rcond)
		return q, u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
			return state.Overflow(lapack.SolveTriangularRows(u.Counter, dense.RowRange(q, from, to), r, true))
		})
	}
	if u.Lambda > 0 {
		return nil, &types.ConditionError{What: "[A; sqrt(lambda) I]", RCond: rcond, Err: errSmallRidge}
	}
	inverse, err := u.truncatedInverse(ctx, r)
	if err != nil {
		return nil, err
	}
	p := mat.NewDense(l, k, nil)
	return p, u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
		mat.Mul(u.Counter, dense.RowRange(p, from, to), dense.RowRange(q, from, to), inverse)
		return nil
	})
}

// truncatedInverse returns the transpose of the pseudoinverse of a, and notes its rank: singular values
// below RankTolerance of the largest one count as zero. The product is accounted to StepStart.
func (u *State) truncatedInverse(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	m, n := a.Dims()
	values, us, vs, err := dense.SVD(u.Counter, a)
	if err != nil {
		return nil, err
	}
	if err := u.Enter(ctx, cost.StepStart); err != nil {
		return nil, err
	}
	u.rank = countAbove(values, dense.RankTolerance(m, n)*values[0], len(values))
	return u.inverseOf(values[:u.rank], us, vs), nil
}
