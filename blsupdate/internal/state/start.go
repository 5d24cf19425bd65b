package state

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// GramMatrix is the name of AᵀA + lambda I in errors.
const GramMatrix = "A'A + lambda I"

// StartFactor returns the Cholesky factor of AᵀA + lambda I and its reciprocal condition number. It
// returns a *ConditionError where that matrix is not positive definite to working precision.
func (b *Base) StartFactor(ctx context.Context, a *mat.Dense) (*lapack.Cholesky, float64, error) {
	g := mat.NewSymPacked(b.K, nil)
	err := b.EachPanel(ctx, cost.StepGram, dense.Rows(a), func(from, to int) error {
		dense.Sprk(b.Counter, 1, dense.RowRange(a, from, to), 1, g)
		return nil
	})
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	g.AddDiagonal(b.Lambda)
	for i := range b.K {
		// Squares that underflow leave a matrix that is well-conditioned and wrong.
		if g.At(i, i) < dense.SmallestSquare {
			return nil, 0, &api.ConditionError{What: GramMatrix, Instead: []api.Method{api.QR, api.InverseCholesky}}
		}
	}
	b.Counter.Enter(cost.StepFactor)
	factor, err := b.Factor(g, GramMatrix, api.QR, api.InverseCholesky)
	if err != nil {
		return nil, 0, err
	}
	return factor, factor.RCond(), nil
}

// WellConditioned reports whether a start by the Cholesky factor of AᵀA + lambda I, with the reciprocal
// condition number rcond = 1/κ², is accurate enough for methods with an error of eps κ. Its error of
// eps κ² is below the 10 sqrt(l) eps κ that updates may add where κ <= 10 sqrt(l).
func WellConditioned(rcond float64, l int) bool { return rcond >= 1/(100*float64(l)) }

// StartWeights returns the solution of (AᵀA + lambda I) W = AᵀY by the factor. It is more accurate than
// a product with the inverse.
func (b *Base) StartWeights(ctx context.Context, factor *lapack.Cholesky, a, y *mat.Dense) (*mat.Dense, error) {
	w := mat.NewDense(b.K, b.C, nil)
	err := b.EachPanel(ctx, cost.StepT, dense.Rows(a), func(from, to int) error {
		x, t := dense.RowRange(a, from, to), dense.RowRange(y, from, to)
		dense.Gemm(b.Counter, blas.Trans, blas.NoTrans, 1, x, t, 1, w)
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
