package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

const eps = 0x1p-52

// smallestSquare is the smallest sum of squares that is trusted to be accurate to eps: the smallest
// normal number over eps².
const smallestSquare = 0x1p-1022 / (eps * eps)

// started is a first A⁺.
type started struct {
	p     []float64 // (A⁺)ᵀ, l×k
	rank  int       // of A; k for a ridge
	rcond float64   // for a ridge, the estimated 1/κ of [A; sqrt(lambda) I]
	start Start

	abandoned float64 // flops of an attempt that was given up
}

// start finds the first A⁺ in the cheapest way that the condition of A allows.
func (u *pseudoinverse) start(ctx context.Context, a *mat.Dense) (started, error) {
	l, k := a.Dims()
	if l < k && u.opt.Lambda == 0 {
		return u.startWide(ctx, a)
	}
	s, ok, err := u.startCholesky(ctx, a)
	if ok || err != nil {
		return s, err
	}
	abandoned := u.counter.Flops()
	u.counter.Reset()
	s, err = u.startQR(ctx, a)
	s.abandoned = abandoned
	return s, err
}

// startCholesky computes P = A (AᵀA + lambda I)⁻¹ and reports whether that is accurate enough.
func (u *pseudoinverse) startCholesky(ctx context.Context, a *mat.Dense) (s started, ok bool, err error) {
	l, k := a.Dims()
	chol, rcond, err := u.startFactor(ctx, a)
	var singular *ConditionError
	if errors.As(err, &singular) || errors.Is(err, ErrOverflow) { // of AᵀA, where A may be well
		return started{}, false, nil
	}
	if err != nil || !wellConditioned(rcond, l) {
		return started{}, false, err
	}
	defer u.counter.Leave()
	if err := u.enter(ctx, StepStart); err != nil {
		return started{}, false, err
	}
	p := compact(a)
	err = eachPanel(ctx, l, func(from, to int) error {
		dst := mat.NewDense(to-from, k, p[from*k:to*k])
		return chol.SolveRowsTo(dst, dst)
	})
	if err != nil {
		return started{}, false, err
	}
	return started{p: p, rank: k, rcond: math.Sqrt(rcond), start: StartCholesky}, true, nil
}

// startQR computes P = Q R⁻ᵀ from a QR factorization of A, or the first l rows of that for A above
// sqrt(lambda) I. Where R is singular to working precision it goes on with its singular values if there is no ridge.
func (u *pseudoinverse) startQR(ctx context.Context, a *mat.Dense) (started, error) {
	l, k := a.Dims()
	if err := u.enter(ctx, StepFactor); err != nil {
		return started{}, err
	}
	defer u.counter.Leave()
	rows := l
	if u.opt.Lambda > 0 {
		rows += k
	}
	stacked := mat.NewDense(rows, k, nil)
	stacked.Slice(0, l, 0, k).(*mat.Dense).Copy(a)
	root := math.Sqrt(u.opt.Lambda)
	for i := l; i < rows; i++ {
		stacked.Set(i, i-l, root)
	}
	qr := lapack.QR{Backend: u.counter}
	if qr.FactorizeInPlace(stacked) != nil {
		return started{}, ErrOverflow // the rows are finite
	}
	if err := interrupt.Check(ctx); err != nil {
		return started{}, err
	}
	rcond := qr.RCond()
	var r mat.Dense
	qr.RTo(&r)
	if u.opt.Lambda > 0 && !(rcond > rankTolerance(l, k)) {
		return started{}, &ConditionError{What: "[A; sqrt(lambda) I]", RCond: rcond, Err: errSmallRidge}
	}
	q := qr.QInPlace().RawMatrix().Data[:l*k] // of which the rows of sqrt(lambda) I are left out
	q0 := mat.NewDense(l, k, q)
	if rcond > rankTolerance(l, k) {
		err := u.eachPanel(ctx, StepStart, l, func(from, to int) error {
			if lapack.SolveTriangularRows(u.counter, rowRange(q0, from, to), &r, true) != nil {
				return ErrOverflow // R is regular and finite
			}
			return nil
		})
		if err != nil {
			return started{}, err
		}
		return started{p: q, rank: k, rcond: rcond, start: StartQR}, nil
	}
	small, rank, err := u.truncatedInverse(ctx, &r)
	if err != nil {
		return started{}, err
	}
	p, inverse := mat.NewDense(l, k, nil), mat.NewDense(k, k, small)
	err = u.eachPanel(ctx, StepStart, l, func(from, to int) error {
		mat.Mul(u.counter, rowRange(p, from, to), rowRange(q0, from, to), inverse)
		return nil
	})
	if err != nil {
		return started{}, err
	}
	return started{p: p.RawMatrix().Data, rank: rank, start: StartSVD}, nil
}

// errSmallRidge says why a ridge does not make up for dependent columns.
var errSmallRidge = errors.New("the columns of A are dependent and lambda is nothing beside them: take a larger one, or 0 for the pseudoinverse")

// startWide computes P for l < k from the singular values of A.
func (u *pseudoinverse) startWide(ctx context.Context, a *mat.Dense) (started, error) {
	if err := u.enter(ctx, StepFactor); err != nil {
		return started{}, err
	}
	defer u.counter.Leave()
	p, rank, err := u.truncatedInverse(ctx, a)
	return started{p: p, rank: rank, start: StartSVD}, err
}

// truncatedInverse returns the transpose of the pseudoinverse of a, in a's shape, and the rank:
// singular values below rankTolerance of the largest one count as zero. The decomposition is accounted
// to the current step, the product to StepStart.
func (u *pseudoinverse) truncatedInverse(ctx context.Context, a *mat.Dense) ([]float64, int, error) {
	m, n := a.Dims()
	values, us, vs, err := svdThin(u.counter, a)
	if err != nil {
		return nil, 0, err
	}
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance(m, n)*values[0] {
		rank++
	}
	if err := u.enter(ctx, StepStart); err != nil {
		return nil, 0, err
	}
	out := make([]float64, m*n)
	scaleColumns(us, values[:rank])
	ru, rv := us.RawMatrix(), vs.RawMatrix()
	u.counter.Dgemm(blas.NoTrans, blas.Trans, m, n, rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, out, n)
	return out, rank, nil
}

// rankTolerance is the ratio of a singular value of an m×n matrix to the largest one at which it is
// taken for rounding noise, as in MATLAB's rank and NumPy's matrix_rank.
func rankTolerance(m, n int) float64 { return float64(max(m, n)) * eps }

// scaleColumns divides column j of m by values[j].
func scaleColumns(m *mat.Dense, values []float64) {
	raw := m.RawMatrix()
	for i := range raw.Rows {
		row := raw.Data[i*raw.Stride:]
		for j, v := range values {
			row[j] /= v
		}
	}
}

// svdThin returns the singular values of a in descending order with the left and right singular
// vectors as columns: a = U diag(values) Vᵀ. It is gonum's, whatever the backend.
func svdThin(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		return nil, nil, nil, ErrNoConvergence
	}
	u, v = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(v)
	return svd.Values(nil), u, v, nil
}
