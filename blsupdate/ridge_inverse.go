package blsupdate

import (
	"context"
	"math"

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
type ridgeInverse struct {
	common
	q    *mat.SymPacked // Q/gain, k×k
	gain float64
	w    *mat.Dense // W, k×c, without gaps
	size sizes

	// The errors in Q are those of the worst state so far.
	peak  float64 // the largest ‖Q‖/gain, as far as known
	worst float64 // the smallest 1/κ
	noted float64 // the trace of q when that was last estimated

	// Bounds on the magnitude of elements of q and of W, by which it is known before they are
	// overwritten that they will not overflow.
	mostQ, mostW float64
}

// newRidgeInverse computes Q by the Cholesky factor of AᵀA + lambda I, and W by the same factor.
func newRidgeInverse(ctx context.Context, base common, a, y *mat.Dense) (*ridgeInverse, done, error) {
	s := &ridgeInverse{common: base, gain: 1}
	size, err := newSizes(s.k, s.c).with(a, y).safe()
	if err != nil {
		return nil, done{}, err
	}
	factor, rcond, err := s.startFactor(ctx, a)
	if err != nil {
		return nil, done{}, err
	}
	if !(rcond >= eps) {
		return nil, done{}, &ConditionError{What: "A'A + lambda I", RCond: rcond, Instead: []Method{QR, InverseCholesky}}
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, done{}, err
	}
	if s.w, err = s.startWeights(ctx, factor, a, y); err != nil {
		return nil, done{}, err
	}
	if err := s.enter(ctx, StepQ); err != nil {
		return nil, done{}, err
	}
	defer s.counter.Leave()
	if s.q, err = factor.InverseInPlace(); err != nil {
		return nil, done{}, &ConditionError{What: "A'A + lambda I", RCond: rcond, Err: err, Instead: []Method{QR, InverseCholesky}}
	}
	s.size, s.worst = size, 1
	s.noteCondition()
	s.mostQ, s.mostW = largestOf(s.q.RawSymPacked().Data), largestOf(s.w.RawMatrix().Data)
	return s, done{model: ridgeInverseStart(rowsOf(a), s.k, s.c), start: StartCholesky}, nil
}

func (s *ridgeInverse) weights() (*mat.Dense, done, error) { return s.w, done{}, nil }

// forget divides Q by the factor, unless that overflows, which takes directions in which nothing has been
// learned for very long.
func (s *ridgeInverse) forget(factor float64) error {
	gain := s.gain / factor
	if !(gain < math.MaxFloat64/max(s.mostQ, 1)) {
		return ErrOverflow
	}
	s.gain = gain
	s.ridge *= factor
	s.size = s.size.scaled(math.Sqrt(factor))
	if s.gain > mostGain {
		floats.Scale(s.gain, s.q.RawSymPacked().Data)
		s.mostQ *= s.gain
		s.peak *= s.gain
		s.noted *= s.gain
		s.gain = 1
	}
	return nil
}

// mostGain is the gain at which it is multiplied into the matrix, long before it or its inverse could
// overflow or underflow.
const mostGain = 0x1p200

// inverse returns a copy of Q.
func (s *ridgeInverse) inverse() *mat.SymPacked {
	q := cloneSym(s.q)
	if s.gain != 1 {
		floats.Scale(s.gain, q.RawSymPacked().Data)
	}
	return q
}

// condition is that of the worst state of which it is known: of the start, of those after removals and
// added nodes, and of the present one. It is not noted, so that a model does not depend on being asked.
func (s *ridgeInverse) condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.worst, 2
}

// noteCondition estimates 1/κ of the present state, and notes it if it is the smallest: κ² = ‖AᵀA +
// lambda I‖‖Q‖ with the largest ‖Q‖ so far, because what was rounded of that is still there. So a model
// that began with few rows and a small lambda has the κ of all its rows with that lambda alone.
func (s *ridgeInverse) noteCondition() {
	y, data := make([]float64, s.k), s.q.RawSymPacked().Data
	s.peak = max(s.peak, largestEigenvalue(s.k, func(x []float64) {
		s.counter.Dspmv(blas.Upper, s.k, 1, data, x, 1, 0, y, 1)
		copy(x, y)
	}))
	s.worst, s.noted = s.known(), s.trace()
}

// known returns 1/κ for the worst state as far as is known without a pass over Q: with the rows that there are
// now, but ‖Q‖ as it was last estimated.
func (s *ridgeInverse) known() float64 {
	kappa := math.Hypot(s.size.peak, math.Sqrt(s.ridge)) * math.Sqrt(s.peak) * math.Sqrt(s.gain)
	return min(s.worst, 1/kappa)
}

// noteRemoval is noteCondition after a removal of so many rows. For few of them its passes over Q would
// take longer than the removal, so it waits until the trace, which is at least ‖Q‖, has doubled.
func (s *ridgeInverse) noteRemoval(rows int) {
	if rows >= manyRemoved || s.trace() > 2*s.noted {
		s.noteCondition()
	}
}

// manyRemoved is the number of removed rows at which the condition is estimated in any case.
const manyRemoved = 64

// trace returns the trace of q.
func (s *ridgeInverse) trace() float64 {
	var sum float64
	data := s.q.RawSymPacked().Data
	for i, at := 0, 0; i < s.k; i, at = i+1, at+s.k-i {
		sum += data[at]
	}
	return sum
}
