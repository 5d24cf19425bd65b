package state

import (
	"context"
	"errors"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// startFactor returns the Cholesky factor of AᵀA + lambda I with its reciprocal condition number. The
// error is a *ConditionError where that matrix is not positive definite to working precision.
func (b *Base) StartFactor(ctx context.Context, a *mat.Dense) (*lapack.Cholesky, float64, error) {
	b.Counter.Enter(cost.StepGram)
	defer b.Counter.Leave()
	g := mat.NewSymPacked(b.K, nil)
	err := EachPanel(ctx, dense.Rows(a), func(from, to int) error {
		x := dense.RowRange(a, from, to).RawMatrix()
		b.Counter.Dsprk(blas.Trans, b.K, x.Rows, 1, x.Data, x.Stride, 1, g.RawSymPacked().Data)
		return nil
	})
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	g.AddDiagonal(b.Options.Lambda)
	const what = "A'A + lambda I"
	for i := range b.K {
		// Squares that underflow leave a matrix that is well-conditioned and wrong.
		if g.At(i, i) < dense.SmallestSquare {
			return nil, 0, &api.ConditionError{What: what, Instead: []api.Method{api.QR, api.InverseCholesky}}
		}
	}
	b.Counter.Enter(cost.StepFactor)
	factor := &lapack.Cholesky{Backend: b.Counter}
	if err := factor.FactorizeInPlace(g); err != nil {
		if errors.Is(err, lapack.ErrNotFinite) {
			return nil, 0, api.ErrOverflow
		}
		return nil, 0, &api.ConditionError{What: what, Err: err, Instead: []api.Method{api.QR, api.InverseCholesky}}
	}
	return factor, factor.RCond(), nil
}

// wellConditioned tells whether a start by the Cholesky factor of AᵀA + lambda I, of which rcond is the reciprocal
// condition number 1/κ², is as accurate as the updates of methods with an error of eps κ: its own error is about
// eps κ², which stays below the error 10 sqrt(l) eps κ that the updates may add where κ <= 10 sqrt(l).
func WellConditioned(rcond float64, l int) bool { return rcond >= 1/(100*float64(l)) }

// startWeights solves (AᵀA + lambda I) W = AᵀY by the factor. It is more accurate than a product with
// the inverse.
func (b *Base) StartWeights(ctx context.Context, factor *lapack.Cholesky, a, y *mat.Dense) (*mat.Dense, error) {
	defer b.Counter.Leave()
	ra, ry := a.RawMatrix(), y.RawMatrix()
	w := mat.NewDense(b.K, b.C, nil)
	err := b.EachPanel(ctx, cost.StepT, ra.Rows, func(from, to int) error {
		b.Counter.Dgemm(blas.Trans, blas.NoTrans, b.K, b.C, to-from, 1, ra.Data[from*ra.Stride:], ra.Stride, ry.Data[from*ry.Stride:], ry.Stride, 1, w.RawMatrix().Data, b.C)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.Counter.Enter(cost.StepSolve)
	if err := factor.SolveTo(w, w); err != nil {
		return nil, api.ErrOverflow
	}
	return w, nil
}

// residual returns Ya - Ax W in new storage, q×c.
func (b *Base) Residual(ax, ya, w *mat.Dense) *mat.Dense {
	e := gonummat.DenseCopyOf(ya)
	x, r := ax.RawMatrix(), e.RawMatrix()
	b.Counter.Dgemm(blas.NoTrans, blas.NoTrans, r.Rows, b.C, b.K, -1, x.Data, x.Stride, w.RawMatrix().Data, b.C, 1, r.Data, r.Stride)
	return e
}

// definiteFactor returns the Cholesky factor of a symmetric matrix that is positive definite unless
// rounding has the better of the state, and for which s is overwritten.
func (b *Base) DefiniteFactor(s *mat.SymPacked, what string) (*lapack.Cholesky, error) {
	factor := &lapack.Cholesky{Backend: b.Counter}
	err := factor.FactorizeInPlace(s)
	switch {
	case err == nil:
		return factor, nil
	case errors.Is(err, lapack.ErrNotFinite):
		return nil, api.ErrOverflow
	default:
		return nil, &api.ConditionError{What: what, Err: err, Instead: []api.Method{api.QR}}
	}
}

// triangleError says why a system with a triangle, or its inverse, has no finite solution: an exactly zero pivot is a
// matter of condition, and all else is overflow.
func TriangleError(what string, err error) error {
	var pivot *lapack.PivotError
	if errors.As(err, &pivot) && pivot.Pivot == 0 {
		return &api.ConditionError{What: what, Err: err, Instead: []api.Method{api.QR}}
	}
	return api.ErrOverflow
}
