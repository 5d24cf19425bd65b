package pinv

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

	"gonum.org/v1/gonum/blas"
)

// started is a first A⁺.
type started struct {
	p     []float64 // (A⁺)ᵀ, l×k
	rank  int       // of A; k for a ridge
	rcond float64   // for a ridge, the estimated 1/κ of [A; sqrt(lambda) I]
	start api.Start

	abandoned float64 // flops of an attempt that was given up
}

// start finds the first A⁺ in the cheapest way that the condition of A allows.
func (u *State) start(ctx context.Context, a *mat.Dense) (started, error) {
	l, k := a.Dims()
	if l < k && u.Options.Lambda == 0 {
		return u.startWide(ctx, a)
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
func (u *State) startCholesky(ctx context.Context, a *mat.Dense) (s started, ok bool, err error) {
	l, k := a.Dims()
	chol, rcond, err := u.StartFactor(ctx, a)
	var singular *api.ConditionError
	if errors.As(err, &singular) || errors.Is(err, api.ErrOverflow) { // of AᵀA, where A may be well
		return started{}, false, nil
	}
	if err != nil || !state.WellConditioned(rcond, l) {
		return started{}, false, err
	}
	defer u.Counter.Leave()
	if err := u.Enter(ctx, cost.StepStart); err != nil {
		return started{}, false, err
	}
	p := dense.Compact(a)
	err = state.EachPanel(ctx, l, func(from, to int) error {
		dst := mat.NewDense(to-from, k, p[from*k:to*k])
		return chol.SolveRowsTo(dst, dst)
	})
	if err != nil {
		return started{}, false, err
	}
	return started{p: p, rank: k, rcond: math.Sqrt(rcond), start: api.StartCholesky}, true, nil
}

// startQR computes P = Q R⁻ᵀ from a QR factorization of A, or the first l rows of that for A above
// sqrt(lambda) I. Where R is singular to working precision it goes on with its singular values if there is no ridge.
func (u *State) startQR(ctx context.Context, a *mat.Dense) (started, error) {
	l, k := a.Dims()
	if err := u.Enter(ctx, cost.StepFactor); err != nil {
		return started{}, err
	}
	defer u.Counter.Leave()
	rows := l
	if u.Options.Lambda > 0 {
		rows += k
	}
	stacked := mat.NewDense(rows, k, nil)
	stacked.Slice(0, l, 0, k).(*mat.Dense).Copy(a)
	root := math.Sqrt(u.Options.Lambda)
	for i := l; i < rows; i++ {
		stacked.Set(i, i-l, root)
	}
	qr := lapack.QR{Backend: u.Counter}
	if qr.FactorizeInPlace(stacked) != nil {
		return started{}, api.ErrOverflow // the rows are finite
	}
	if err := interrupt.Check(ctx); err != nil {
		return started{}, err
	}
	rcond := qr.RCond()
	var r mat.Dense
	qr.RTo(&r)
	if u.Options.Lambda > 0 && !(rcond > dense.RankTolerance(l, k)) {
		return started{}, &api.ConditionError{What: "[A; sqrt(lambda) I]", RCond: rcond, Err: errSmallRidge}
	}
	q := qr.QInPlace().RawMatrix().Data[:l*k] // of which the rows of sqrt(lambda) I are left out
	q0 := mat.NewDense(l, k, q)
	if rcond > dense.RankTolerance(l, k) {
		err := u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
			if lapack.SolveTriangularRows(u.Counter, dense.RowRange(q0, from, to), &r, true) != nil {
				return api.ErrOverflow // R is regular and finite
			}
			return nil
		})
		if err != nil {
			return started{}, err
		}
		return started{p: q, rank: k, rcond: rcond, start: api.StartQR}, nil
	}
	small, rank, err := u.truncatedInverse(ctx, &r)
	if err != nil {
		return started{}, err
	}
	p, inverse := mat.NewDense(l, k, nil), mat.NewDense(k, k, small)
	err = u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
		mat.Mul(u.Counter, dense.RowRange(p, from, to), dense.RowRange(q0, from, to), inverse)
		return nil
	})
	if err != nil {
		return started{}, err
	}
	return started{p: p.RawMatrix().Data, rank: rank, start: api.StartSVD}, nil
}

// errSmallRidge says why a ridge does not make up for dependent columns.
var errSmallRidge = errors.New("the columns of A are dependent and lambda is nothing beside them: take a larger one, or 0 for the pseudoinverse")

// startWide computes P for l < k from the singular values of A.
func (u *State) startWide(ctx context.Context, a *mat.Dense) (started, error) {
	if err := u.Enter(ctx, cost.StepFactor); err != nil {
		return started{}, err
	}
	defer u.Counter.Leave()
	p, rank, err := u.truncatedInverse(ctx, a)
	return started{p: p, rank: rank, start: api.StartSVD}, err
}

// truncatedInverse returns the transpose of the pseudoinverse of a, in a's shape, and the rank:
// singular values below rankTolerance of the largest one count as zero. The decomposition is accounted
// to the current step, the product to StepStart.
func (u *State) truncatedInverse(ctx context.Context, a *mat.Dense) ([]float64, int, error) {
	m, n := a.Dims()
	values, us, vs, err := dense.SvdThin(u.Counter, a)
	if err != nil {
		return nil, 0, err
	}
	rank := 0
	for rank < len(values) && values[rank] > dense.RankTolerance(m, n)*values[0] {
		rank++
	}
	if err := u.Enter(ctx, cost.StepStart); err != nil {
		return nil, 0, err
	}
	out := make([]float64, m*n)
	dense.ScaleColumns(us, values[:rank])
	ru, rv := us.RawMatrix(), vs.RawMatrix()
	u.Counter.Dgemm(blas.NoTrans, blas.Trans, m, n, rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, out, n)
	return out, rank, nil
}
