package state

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// GramMatrix is the name of AᵀA + lambda I in errors.
const GramMatrix = "A'A + lambda I"

// StartFactor returns the Cholesky factor of AᵀA + lambda I. rcond estimates the reciprocal condition
// number of that matrix, scaled by powers of two to a diagonal of about 1. The scaling changes no bit
// of the factor. StartFactor returns a *ConditionError if the matrix is not positive definite to
// working precision, or rcond is below least.
func (b *Base) StartFactor(ctx context.Context, a *mat.Dense, least float64) (factor *lapack.Cholesky, rcond float64, err error) {
	singular := &types.ConditionError{What: GramMatrix, Instead: []types.Method{types.QR, types.InverseCholesky}}
	g := mat.NewSymPacked(b.K, nil)
	err = b.EachPanel(ctx, cost.StepGram, dense.Rows(a), func(from, to int) error {
		dense.Sprk(b.Counter, 1, dense.RowRange(a, from, to), 1, g)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	g.AddDiagonal(b.Lambda)
	for i := range b.K { // squares that underflow leave a matrix that is well-conditioned and wrong
		if g.At(i, i) < dense.SmallestSquare {
			return nil, 0, singular
		}
	}
	if err := b.Enter(ctx, cost.StepFactor); err != nil {
		return nil, 0, err
	}
	lengths := make([]float64, b.K)
	for j := range lengths {
		lengths[j] = math.Sqrt(g.At(j, j))
	}
	units, reciprocals := dense.Powers(lengths)
	for i, row := 0, g.RawSymPacked().Data; i < b.K; i, row = i+1, row[b.K-i:] {
		dense.Multiply(row[:b.K-i], reciprocals[i:])
		dense.Scale(reciprocals[i], row[:b.K-i])
	}
	if factor, err = b.Factor(g, GramMatrix, singular.Instead...); err != nil {
		return nil, 0, err
	}
	if singular.RCond = factor.RCond(); !(singular.RCond >= least) {
		return nil, 0, singular
	}
	for i, row := 0, g.RawSymPacked().Data; i < b.K; i, row = i+1, row[b.K-i:] {
		dense.Multiply(row[:b.K-i], units[i:])
	}
	return factor, singular.RCond, nil
}

// AccurateStart returns the smallest 1/κ², the reciprocal condition number of AᵀA + lambda I, for a
// start from its Cholesky factor in methods with an error of eps κ. For κ <= 10 sqrt(l) the error of
// the start, eps κ², is at most the 10 sqrt(l) eps κ that updates may add.
func AccurateStart(a *mat.Dense) float64 { return 1 / (100 * float64(dense.Rows(a))) }

// StartWeights solves (AᵀA + lambda I) W = AᵀY with the factor, more accurately than by the inverse.
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
	return w, Overflow(factor.SolveTo(w, w))
}
