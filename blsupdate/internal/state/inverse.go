package state

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
)

// Inverse is the common part of RidgeInverse and InverseCholesky. Their matrix X, which is Q or F, is
// kept as X/Gain, so that Forget changes Gain alone and takes no pass over X.
type Inverse struct {
	Base
	Gain float64
	W    *mat.Dense // k×c, without gaps
	Size Norms

	// The errors in X are those of the worst state so far.
	Peak  float64 // the largest ‖X‖/Gain, as far as known
	Worst float64 // the smallest 1/κ
	Noted float64 // a bound on ‖X‖/Gain when that was last estimated: the trace of Q, or the Frobenius norm of F

	// Bounds on the elements of X/Gain and W. With them it is known before an update in place
	// whether it can overflow.
	Most, MostW float64
}

// NewInverse returns an Inverse with the norms of A and Y.
func NewInverse(base Base, a, y *mat.Dense) (Inverse, error) {
	size, err := NewNorms(base.K, base.C).With(a, y).Safe()
	return Inverse{Base: base, Gain: 1, Size: size, Worst: 1}, err
}

// Weights returns W.
func (s *Inverse) Weights() (*mat.Dense, Outcome, error) { return s.W, Outcome{}, nil }

// mostGain is the gain that is multiplied into X, long before it could overflow or underflow.
const mostGain = 0x1p200

// ForgetBy divides X by divisor, where data are the elements of X/Gain. It returns ErrOverflow where X
// overflows, which takes directions without new rows for very long.
func (s *Inverse) ForgetBy(factor, divisor float64, data []float64) error {
	gain := s.Gain / divisor
	if !(gain < math.MaxFloat64/max(s.Most, 1)) {
		return api.ErrOverflow
	}
	s.Gain = gain
	s.Lambda *= factor
	s.Size = s.Size.Scaled(math.Sqrt(factor))
	if s.Gain > mostGain {
		floats.Scale(s.Gain, data)
		s.Most *= s.Gain
		s.Peak *= s.Gain
		s.Noted *= s.Gain
		s.Gain = 1
	}
	return nil
}

// ManyRemoved is the number of removed rows at which the condition is estimated anew in any case. For
// fewer rows the estimate would take longer than the removal.
const ManyRemoved = 64

// CodeInverse writes or reads s. name is that of X, noted that of Noted, matrix codes X, and data
// returns its elements.
func (s *Inverse) CodeInverse(x *coder.Coder, name, noted string, matrix func(), data func() []float64) {
	x.Float("the gain", &s.Gain, coder.IsPositive)
	matrix()
	x.Dense("W", &s.W, s.K, s.C)
	s.Size.Code(x, s.K, s.C)
	x.Float("the largest norm of "+name, &s.Peak, coder.NotNegative)
	x.Float("the smallest 1/κ", &s.Worst, coder.NotNegative)
	x.Float("the noted "+noted+" of "+name, &s.Noted, coder.NotNegative)
	x.Float("the bound on "+name, &s.Most, coder.NotNegative)
	x.Float("the bound on W", &s.MostW, coder.NotNegative)
	if !x.Failed() {
		x.Within(name, dense.LargestOf(data()), s.Most)
		x.Within("W", dense.LargestOf(s.W.RawMatrix().Data), s.MostW)
	}
}
