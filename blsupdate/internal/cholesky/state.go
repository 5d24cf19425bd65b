// Package cholesky implements InverseCholesky, which keeps the triangular F with F Fᵀ = (AᵀA + lambda
// I)⁻¹, and W.
package cholesky

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// State holds the upper triangular F, and W. The columns of F are kept as rows of L, F = Gain Lᵀ, since
// updates work along columns of F. BoundX is the measured Frobenius norm of L or, after rows have been
// added one by one, a bound on it.
type State struct {
	state.Inverse
	L *mat.Dense // Fᵀ/Gain, k×k, zero above the diagonal, contiguous
}

func (s *State) data() []float64 { return s.L.RawMatrix().Data }

// Forget divides F by the square root of factor.
func (s *State) Forget(factor float64) error { return s.ForgetBy(factor, math.Sqrt(factor), s.data()) }

func (s *State) copyL() *mat.Dense {
	dst := dense.Triangle(s.K)
	for i := range s.K {
		copy(dst.RawRowView(i), s.L.RawRowView(i)[:i+1])
	}
	return dst
}

// timesF overwrites X, which has k columns, with X F, or with X Fᵀ if trans is true.
func (s *State) timesF(x *mat.Dense, trans bool) {
	t := blas.Trans
	if trans {
		t = blas.NoTrans
	}
	raw := x.RawMatrix()
	s.Counter.Dtrmm(blas.Right, blas.Lower, t, blas.NonUnit, raw.Rows, s.K, s.Gain, s.data(), s.K, raw.Data, raw.Stride)
}

// fTimes overwrites the k×c matrix X with F X.
func (s *State) fTimes(x *mat.Dense) {
	raw := x.RawMatrix()
	s.Counter.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, s.K, s.C, s.Gain, s.data(), s.K, raw.Data, raw.Stride)
}

func (s *State) Condition() state.Condition { return s.ConditionOf(s.rows()) }

func (s *State) rows() []float64 {
	rows := dense.ColumnNorms(s.L)
	dense.Scale(s.Gain, rows)
	return rows
}

// noteRows records the norms of the rows of F. Adding rows cannot raise them.
func (s *State) noteRows() { s.NoteRows(s.rows()) }

// frobenius returns the Frobenius norm of L. It is not finite if an element of L is not.
func (s *State) frobenius() float64 {
	var sum float64
	for i := range s.K {
		row := s.L.RawRowView(i)[:i+1]
		sum += s.Counter.Ddot(i+1, row, 1, row, 1)
	}
	if !(sum > dense.SmallestSquare && sum < math.MaxFloat64) {
		return dense.Norm(s.data())
	}
	return math.Sqrt(sum)
}

// Covariance returns F Fᵀ.
func (s *State) Covariance() (state.Covariance, error) {
	return state.Halves(s.K, func(x *mat.Dense, second bool) error {
		s.timesF(x, second)
		return nil
	}), nil
}

// Code writes or reads F and W with their bounds.
func (s *State) Code(x *codec.Coder) {
	s.CodeInverse(x, "F", func() { x.Triangle("F", &s.L, s.K, false) }, s.data)
}

// Start computes F = R⁻¹ where RᵀR = AᵀA + lambda I. R is the Cholesky factor if the condition of that
// matrix allows it, and otherwise comes from a QR factorization of [sqrt(lambda) I; A].
func (s *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	if err := s.Begin(a, y); err != nil {
		return out, err
	}
	out.Start = types.StartCholesky
	err = s.startCholesky(ctx, a, y)
	var singular *types.ConditionError
	if errors.As(err, &singular) {
		out.Abandoned = s.Counter.Flops()
		s.Counter.Reset()
		out.Start, err = types.StartQR, s.startQR(ctx, a, y)
	}
	if err == nil {
		err = s.measure()
	}
	if err != nil {
		return out, err
	}
	s.noteRows()
	s.NoteWeights(dense.Rows(a))
	out.Model = cost.CholeskyStart(cost.Shape{L: dense.Rows(a), K: s.K, C: s.C, Start: out.Start})
	return out, nil
}

// startCholesky computes L = U⁻ᵀ for the Cholesky factor U of AᵀA + lambda I. It returns a
// *ConditionError if that is not accurate enough.
func (s *State) startCholesky(ctx context.Context, a, y *mat.Dense) error {
	factor, rcond, err := s.StartFactor(ctx, a, state.AccurateStart(a))
	if err != nil {
		return err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return err
	}
	s.Size.Rest = s.Refitted(s.W, y, a)
	s.Size.ErrTargets(state.Unit(dense.Rows(a), s.K) / math.Sqrt(rcond) * s.Size.Damp(s.Lambda))
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	s.L = dense.ScaledIdentity(s.K, 1)
	return state.Overflow(factor.SolveUTriangle(s.L))
}

// startQR computes R and z = Qᵀ[0; Y] with [sqrt(lambda) I; A] = Q R, then L = R⁻ᵀ and W = R⁻¹z.
func (s *State) startQR(ctx context.Context, a, y *mat.Dense) error {
	const what = "[A; sqrt(lambda) I]"
	r, z := dense.ScaledIdentity(s.K, math.Sqrt(s.Lambda)), mat.NewDense(s.K, s.C, nil)
	err := s.EachPanel(ctx, cost.StepFactor, dense.Rows(a), func(from, to int) error {
		rest := dense.Copy(dense.RowRange(y, from, to))
		err := lapack.AppendRows(s.Counter, r, z, dense.RowRange(a, from, to), rest)
		state.AddLengths(s.Size.Rest, s.FittedBy(1, rest))
		return state.Overflow(err)
	})
	if err != nil {
		return err
	}
	rcond := lapack.RCondTriangle(s.Counter, dense.Equilibrated(r, s.Size.Lengths(s.Lambda)))
	if !(rcond > dense.RankTolerance(dense.Rows(a), s.K)) {
		return &types.ConditionError{What: what, RCond: rcond, Instead: s.BelowFullRank()}
	}
	s.Counter.Enter(cost.StepSolve)
	err = lapack.SolveTriangular(s.Counter, z, r, false)
	s.Counter.Enter(cost.StepF)
	// For the reversed transpose InvertTriangle makes R R⁻¹ - I small, and not R⁻¹R - I, which
	// would give an error of eps κ² in F Fᵀ.
	r = reversed(dense.Transposed(r))
	if err = cmp.Or(err, lapack.InvertTriangle(s.Counter, r)); err != nil {
		return s.triangleError(what, err)
	}
	s.L, s.W = reversed(r), z
	return nil
}

func reversed(m *mat.Dense) *mat.Dense {
	out := dense.Copy(m)
	slices.Reverse(out.RawMatrix().Data)
	return out
}

// triangleError returns a *ConditionError if solving with a triangle met a zero pivot, or ErrOverflow.
func (s *State) triangleError(what string, err error) error {
	var pivot *lapack.PivotError
	if errors.As(err, &pivot) && pivot.Pivot == 0 {
		return &types.ConditionError{What: what, Err: err, Instead: s.BelowFullRank()}
	}
	return types.ErrOverflow
}
