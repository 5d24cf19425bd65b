// Package cholesky implements InverseCholesky, which keeps the triangle F with F Fᵀ = (AᵀA + lambda
// I)⁻¹, and W.
package cholesky

import (
	"cmp"
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/detmath"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// State is the upper triangular F and W. F is kept as the rows of L, F = Gain Lᵀ: an update goes along
// columns of F. Most is the Frobenius norm of L. It is measured, except for rows that are added one by
// one, where it is a bound.
type State struct {
	state.Inverse
	L *mat.Dense // Fᵀ/Gain, k×k, zero above the diagonal, without gaps
}

// data returns the elements of L.
func (s *State) data() []float64 { return s.L.RawMatrix().Data }

// Forget divides F by the root of the factor.
func (s *State) Forget(factor float64) error { return s.ForgetBy(factor, math.Sqrt(factor), s.data()) }

// copyL returns a copy of L.
func (s *State) copyL() *mat.Dense {
	dst := dense.Triangle(s.K)
	for i := range s.K {
		copy(dst.RawRowView(i), s.L.RawRowView(i)[:i+1])
	}
	return dst
}

// timesF overwrites X, of k columns, by X F, or by X Fᵀ if trans is set.
func (s *State) timesF(x *mat.Dense, trans bool) {
	t := blas.Trans
	if trans {
		t = blas.NoTrans
	}
	raw := x.RawMatrix()
	s.Counter.Dtrmm(blas.Right, blas.Lower, t, blas.NonUnit, raw.Rows, s.K, s.Gain, s.data(), s.K, raw.Data, raw.Stride)
}

// fTimes overwrites the k×c X by F X.
func (s *State) fTimes(x *mat.Dense) {
	raw := x.RawMatrix()
	s.Counter.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, s.K, s.C, s.Gain, s.data(), s.K, raw.Data, raw.Stride)
}

// squared overwrites x by f g LᵀL x, with a factor after each of the two products.
func (s *State) squared(x []float64, f, g float64) {
	s.Counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.K, s.data(), s.K, x, 1)
	dense.Scale(f, x)
	s.Counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.K, s.data(), s.K, x, 1)
	dense.Scale(g, x)
}

// Condition returns the worst 1/κ of the start, the states after removals and added nodes, and the
// present one. The latter is not noted, so that a model does not depend on whether it was asked.
func (s *State) Condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.Worst, 1
}

// noteCondition estimates the present 1/κ and notes it if it is the worst. κ is ‖[A; sqrt(lambda)
// I]‖‖F‖ with the largest ‖F‖ so far, whose rounding errors remain.
func (s *State) noteCondition() {
	// L/Most neither overflows nor underflows.
	square := dense.LargestEigenvalue(s.K, func(x []float64) {
		s.squared(x, 1/s.Most, 1/s.Most)
	})
	s.Peak = max(s.Peak, s.Most*math.Sqrt(square))
	s.Worst, s.Noted = s.known(), s.Most
}

// known returns the worst 1/κ with the present rows, and ‖F‖ as it was last estimated.
func (s *State) known() float64 {
	kappa := detmath.Hypot(s.Size.Peak, math.Sqrt(s.Lambda)) * s.Peak * s.Gain
	return min(s.Worst, 1/kappa)
}

// frobenius returns the Frobenius norm of L. It is not finite where an element is not.
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
	s.CodeInverse(x, "F", "norm", func() { x.Triangle("F", &s.L, s.K, false) }, s.data)
}

// Start computes F = R⁻¹ where RᵀR = AᵀA + lambda I. R is the Cholesky factor where the condition of
// that matrix allows, and else comes from a QR factorization of A below sqrt(lambda) I.
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
	s.noteCondition()
	out.Model = cost.CholeskyStart(cost.Shape{L: dense.Rows(a), K: s.K, C: s.C, Start: out.Start})
	return out, nil
}

// startCholesky computes L = U⁻ᵀ for the Cholesky factor U of AᵀA + lambda I. It returns a
// *ConditionError where that is not accurate enough.
func (s *State) startCholesky(ctx context.Context, a, y *mat.Dense) error {
	factor, _, err := s.StartFactor(ctx, a, state.AccurateStart(a))
	if err != nil {
		return err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return err
	}
	s.Refitted(s.W, y, a)
	if err := s.Enter(ctx, cost.StepF); err != nil {
		return err
	}
	s.L = dense.ScaledIdentity(s.K, 1)
	return state.Overflow(factor.SolveUTriangle(s.L))
}

// startQR computes R and z = Qᵀ[0; Y] of a QR factorization of [sqrt(lambda) I; A], L = R⁻ᵀ and W =
// R⁻¹z.
func (s *State) startQR(ctx context.Context, a, y *mat.Dense) error {
	const what = "the rows of A"
	r, z := dense.ScaledIdentity(s.K, math.Sqrt(s.Lambda)), mat.NewDense(s.K, s.C, nil)
	err := s.EachPanel(ctx, cost.StepFactor, dense.Rows(a), func(from, to int) error {
		rest := dense.Copy(dense.RowRange(y, from, to))
		err := lapack.AppendRows(s.Counter, r, z, dense.RowRange(a, from, to), rest)
		s.FittedBy(1, rest)
		return state.Overflow(err)
	})
	if err != nil {
		return err
	}
	rcond := lapack.RCondTriangle(s.Counter, r)
	if !(rcond > dense.RankTolerance(dense.Rows(a), s.K)) {
		return &types.ConditionError{What: what, RCond: rcond, Instead: []types.Method{types.QR, types.Improved}}
	}
	s.Counter.Enter(cost.StepSolve)
	err = lapack.SolveTriangular(s.Counter, z, r, false)
	s.Counter.Enter(cost.StepF)
	if err = cmp.Or(err, lapack.InvertTriangle(s.Counter, r)); err != nil {
		return state.TriangleError(what, err)
	}
	s.L, s.W = dense.Transposed(r), z
	return nil
}
