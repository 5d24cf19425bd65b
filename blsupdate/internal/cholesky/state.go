// Package cholesky implements InverseCholesky, which keeps the triangle F with F Fᵀ = (AᵀA + lambda
// I)⁻¹, and W.
package cholesky

import (
	"math"

	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
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
	dst := mat.NewDense(s.K, s.K, nil)
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
	floats.Scale(f, x)
	s.Counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.K, s.data(), s.K, x, 1)
	floats.Scale(g, x)
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
	square := dense.LargestEigenvalue(s.K, func(x []float64) { // of L/Most, which neither overflows nor underflows
		s.squared(x, 1/s.Most, 1/s.Most)
	})
	s.Peak = max(s.Peak, s.Most*math.Sqrt(square))
	s.Worst, s.Noted = s.known(), s.Most
}

// known returns the worst 1/κ with the present rows, and ‖F‖ as it was last estimated.
func (s *State) known() float64 {
	kappa := math.Hypot(s.Size.Peak, math.Sqrt(s.Lambda)) * s.Peak * s.Gain
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

// Leverage returns x F Fᵀxᵀ for each row x of X.
func (s *State) Leverage(x *mat.Dense) ([]float64, error) {
	return s.Leverages(x, func(x *mat.Dense) (l, r *mat.Dense) {
		seen := dense.Copy(x)
		s.timesF(seen, false)
		return seen, seen
	})
}

// Code writes or reads F and W with their bounds.
func (s *State) Code(x *coder.Coder) {
	s.CodeInverse(x, "F", "norm", func() { x.Triangle("F", &s.L, s.K, false) }, s.data)
}
