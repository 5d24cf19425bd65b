// Package ridge implements RidgeInverse, which keeps Q = (AᵀA + lambda I)⁻¹ and W.
package ridge

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// State is Q and W. Only the upper triangle of Q is kept, so Q is symmetric to the last bit.
type State struct {
	state.Inverse
	Q *mat.SymPacked // Q/Gain, k×k
}

// Start computes Q and W by the Cholesky factor of AᵀA + lambda I.
func (s *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	if err := s.Begin(a, y); err != nil {
		return out, err
	}
	factor, _, err := s.StartFactor(ctx, a, dense.Eps)
	if err != nil {
		return out, err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return out, err
	}
	s.Refitted(s.W, y, a)
	if err := s.Enter(ctx, cost.StepQ); err != nil {
		return out, err
	}
	if s.Q, err = factor.InverseInPlace(); err != nil {
		return out, state.FactorError(state.GramMatrix, err, types.QR, types.InverseCholesky)
	}
	s.noteCondition()
	s.Most, s.MostW = dense.LargestOf(s.data()), dense.LargestOf(s.W.RawMatrix().Data)
	return state.Outcome{Model: cost.RidgeStart(dense.Rows(a), s.K, s.C), Start: types.StartCholesky}, nil
}

// data returns the stored elements of Q/Gain.
func (s *State) data() []float64 { return s.Q.RawSymPacked().Data }

// Forget divides Q by the factor.
func (s *State) Forget(factor float64) error { return s.ForgetBy(factor, factor, s.data()) }

// inverse returns a copy of Q.
func (s *State) inverse() *mat.SymPacked {
	q := dense.CopySym(s.Q)
	if s.Gain != 1 {
		dense.Scale(s.Gain, q.RawSymPacked().Data)
	}
	return q
}

// Condition returns the worst 1/κ of the start, the states after removals and added nodes, and the
// present one. The latter is not noted, so that a model does not depend on whether it was asked.
func (s *State) Condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.Worst, 2
}

// noteCondition estimates the present 1/κ and notes it if it is the worst. κ² is ‖AᵀA + lambda I‖‖Q‖
// with the largest ‖Q‖ so far, whose rounding errors remain.
func (s *State) noteCondition() {
	y := make([]float64, s.K)
	s.Peak = max(s.Peak, dense.LargestEigenvalue(s.K, func(x []float64) {
		s.Counter.Dspmv(blas.Upper, s.K, 1, s.data(), x, 1, 0, y, 1)
		copy(x, y)
	}))
	s.Worst, s.Noted = s.known(), s.trace()
}

// known returns the worst 1/κ with the present rows, and ‖Q‖ as it was last estimated.
func (s *State) known() float64 {
	kappa := detmath.Hypot(s.Size.Peak, math.Sqrt(s.Lambda)) * math.Sqrt(s.Peak) * math.Sqrt(s.Gain)
	return min(s.Worst, 1/kappa)
}

// trace returns the trace of Q/Gain.
func (s *State) trace() float64 {
	var sum float64
	data := s.data()
	for i, at := 0, 0; i < s.K; i, at = i+1, at+s.K-i {
		sum += data[at]
	}
	return sum
}

// Covariance returns Q.
func (s *State) Covariance() (state.Covariance, error) {
	times := func(x *mat.Dense) (*mat.Dense, error) {
		p := mat.NewDense(dense.Rows(x), s.K, nil)
		TimesPacked(&s.Base, s.Gain, s.Q, x, p)
		return p, nil
	}
	factors := func(x *mat.Dense) (l, r *mat.Dense, err error) {
		r, err = times(x)
		return x, r, err
	}
	return state.Covariance{Rank: s.K, Factors: factors, Times: times}, nil
}

// Code writes or reads Q and W with their bounds.
func (s *State) Code(x *codec.Coder) {
	if !x.Reading() && s.Noted < 0 {
		x.Fail(&types.ConditionError{What: "Q, whose trace is negative", RCond: s.Worst * s.Worst, Instead: []types.Method{types.QR}})
	}
	s.CodeInverse(x, "Q", "trace", func() { dense.CodeSym(x, "Q", &s.Q, s.K) }, s.data)
}

// reserve checks the memory of an addition or a removal of q rows. That is P of a block and, for
// several blocks, copies of Q and W. In the form Large it is a copy of Q, which becomes the new one,
// and two matrices like W.
func (s *State) reserve(action types.Action, form types.Form, q int) error {
	triangle, w := memory.Triangle(s.K), memory.Floats(s.K, s.C)
	bytes := memory.Sum(triangle, w, w)
	if form != types.Large {
		blocks := cost.RidgeBlocks(q, s.K)
		bytes = memory.Floats(q/blocks, s.K)
		if blocks > 1 {
			bytes = memory.Sum(bytes, triangle, w)
		}
	}
	return s.Reserve(action, q, bytes)
}
