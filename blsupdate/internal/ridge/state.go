// Package ridge implements RidgeInverse, which keeps Q = (AᵀA + lambda I)⁻¹ and W.
package ridge

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// ridgeInverse is the state of the method RidgeInverse: Q = (AᵀA + lambda I)⁻¹ and W.
//
// Q is kept as q times gain, so that forgetting, Q := Q/mu, takes no pass over it: gain goes into the
// factors of products that are made anyway. The upper triangle is all there is of Q, so it is symmetric
// to the last bit.
type State struct {
	state.Base
	Q    *mat.SymPacked // Q/gain, k×k
	gain float64
	W    *mat.Dense // W, k×c, without gaps
	size state.Norms

	// The errors in Q are those of the worst state so far.
	peak  float64 // the largest ‖Q‖/gain, as far as known
	worst float64 // the smallest 1/κ
	Noted float64 // the trace of q when that was last estimated

	// Bounds on the magnitude of elements of q and of W, by which it is known before they are
	// overwritten that they will not overflow.
	MostQ, MostW float64
}

// newRidgeInverse computes Q by the Cholesky factor of AᵀA + lambda I, and W by the same factor.
func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (*State, state.Outcome, error) {
	s := &State{Base: base, gain: 1}
	size, err := state.NewNorms(s.K, s.C).With(a, y).Safe()
	if err != nil {
		return nil, state.Outcome{}, err
	}
	factor, rcond, err := s.StartFactor(ctx, a)
	if err != nil {
		return nil, state.Outcome{}, err
	}
	if !(rcond >= dense.Eps) {
		return nil, state.Outcome{}, &api.ConditionError{What: "A'A + lambda I", RCond: rcond, Instead: []api.Method{api.QR, api.InverseCholesky}}
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, state.Outcome{}, err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return nil, state.Outcome{}, err
	}
	if err := s.Enter(ctx, cost.StepQ); err != nil {
		return nil, state.Outcome{}, err
	}
	defer s.Counter.Leave()
	if s.Q, err = factor.InverseInPlace(); err != nil {
		return nil, state.Outcome{}, &api.ConditionError{What: "A'A + lambda I", RCond: rcond, Err: err, Instead: []api.Method{api.QR, api.InverseCholesky}}
	}
	s.size, s.worst = size, 1
	s.noteCondition()
	s.MostQ, s.MostW = dense.LargestOf(s.Q.RawSymPacked().Data), dense.LargestOf(s.W.RawMatrix().Data)
	return s, state.Outcome{Model: cost.RidgeStart(dense.Rows(a), s.K, s.C), Start: api.StartCholesky}, nil
}

func (s *State) Weights() (*mat.Dense, state.Outcome, error) { return s.W, state.Outcome{}, nil }

// forget divides Q by the factor, unless that overflows, which takes directions in which nothing has been
// learned for very long.
func (s *State) Forget(factor float64) error {
	gain := s.gain / factor
	if !(gain < math.MaxFloat64/max(s.MostQ, 1)) {
		return api.ErrOverflow
	}
	s.gain = gain
	s.Lambda *= factor
	s.size = s.size.Scaled(math.Sqrt(factor))
	if s.gain > state.MostGain {
		floats.Scale(s.gain, s.Q.RawSymPacked().Data)
		s.MostQ *= s.gain
		s.peak *= s.gain
		s.Noted *= s.gain
		s.gain = 1
	}
	return nil
}

// inverse returns a copy of Q.
func (s *State) Inverse() *mat.SymPacked {
	q := dense.CloneSym(s.Q)
	if s.gain != 1 {
		floats.Scale(s.gain, q.RawSymPacked().Data)
	}
	return q
}

// condition is that of the worst state of which it is known: of the start, of those after removals and
// added nodes, and of the present one. It is not noted, so that a model does not depend on being asked.
func (s *State) Condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.worst, 2
}

// noteCondition estimates 1/κ of the present state, and notes it if it is the smallest: κ² = ‖AᵀA +
// lambda I‖‖Q‖ with the largest ‖Q‖ so far, because what was rounded of that is still there. So a model
// that began with few rows and a small lambda has the κ of all its rows with that lambda alone.
func (s *State) noteCondition() {
	y, data := make([]float64, s.K), s.Q.RawSymPacked().Data
	s.peak = max(s.peak, state.LargestEigenvalue(s.K, func(x []float64) {
		s.Counter.Dspmv(blas.Upper, s.K, 1, data, x, 1, 0, y, 1)
		copy(x, y)
	}))
	s.worst, s.Noted = s.known(), s.trace()
}

// known returns 1/κ for the worst state as far as is known without a pass over Q: with the rows that there are
// now, but ‖Q‖ as it was last estimated.
func (s *State) known() float64 {
	kappa := math.Hypot(s.size.Peak, math.Sqrt(s.Lambda)) * math.Sqrt(s.peak) * math.Sqrt(s.gain)
	return min(s.worst, 1/kappa)
}

// noteRemoval is noteCondition after a removal of so many rows. For few of them its passes over Q would
// take longer than the removal, so it waits until the trace, which is at least ‖Q‖, has doubled.
func (s *State) noteRemoval(rows int) {
	if rows >= state.ManyRemoved || s.trace() > 2*s.Noted {
		s.noteCondition()
	}
}

// trace returns the trace of q.
func (s *State) trace() float64 {
	var sum float64
	data := s.Q.RawSymPacked().Data
	for i, at := 0, 0; i < s.K; i, at = i+1, at+s.K-i {
		sum += data[at]
	}
	return sum
}
