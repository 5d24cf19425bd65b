package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
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
	// Noted is a bound on ‖X‖/Gain when that was last estimated: the trace of Q, or the Frobenius
	// norm of F.
	Noted float64

	// Bounds on the elements of X/Gain and W. With them it is known before an update in place
	// whether it can overflow.
	Most, MostW float64
}

// Begin begins a start with the norms of A and Y.
func (s *Inverse) Begin(a, y *mat.Dense) (err error) {
	s.Gain, s.Worst = 1, 1
	s.Size, err = NewNorms(s.K, s.C).With(a, y).Safe()
	return err
}

// CheckSize returns a *RankError for fewer samples than nodes without a ridge.
func (s *Inverse) CheckSize(l, k int) error {
	if l < k && s.Options.Lambda == 0 {
		return &types.RankError{Samples: l, Nodes: k}
	}
	return nil
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
		return types.ErrOverflow
	}
	s.Gain = gain
	s.Lambda *= factor
	s.Size = s.Size.Scaled(math.Sqrt(factor))
	if s.Gain > mostGain {
		dense.Scale(s.Gain, data)
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
func (s *Inverse) CodeInverse(x *codec.Coder, name, noted string, matrix func(), data func() []float64) {
	x.Float("the gain", &s.Gain, codec.IsPositive)
	matrix()
	x.Dense("W", &s.W, s.K, s.C)
	s.Size.Code(x, s.K, s.C)
	x.Float("the largest norm of "+name, &s.Peak, codec.NotNegative)
	x.Float("the smallest 1/κ", &s.Worst, codec.NotNegative)
	x.Float("the noted "+noted+" of "+name, &s.Noted, codec.NotNegative)
	x.Float("the bound on "+name, &s.Most, codec.NotNegative)
	x.Float("the bound on W", &s.MostW, codec.NotNegative)
	if !x.Failed() {
		x.Within(name, dense.LargestOf(data()), s.Most)
		x.Within("W", dense.LargestOf(s.W.RawMatrix().Data), s.MostW)
	}
}

// Norms are the Euclidean norms of the columns of A and Y so far. They bound all elements and partial
// sums of AᵀA, AᵀY, R and z, so it is known before an update whether anything can overflow.
type Norms struct {
	A, Y []float64
	Peak float64 // the largest Frobenius norm of A so far; its rounding errors remain
}

// NewNorms returns the norms without rows.
func NewNorms(k, c int) Norms { return Norms{A: make([]float64, k), Y: make([]float64, c)} }

// each returns the norms with f applied to each and to its counterpart in o; Peak is that of s.
func (s Norms) each(o Norms, f func(v, other float64) float64) Norms {
	t := NewNorms(len(s.A), len(s.Y))
	t.Peak = s.Peak
	for j, v := range s.A {
		t.A[j] = f(v, o.A[j])
	}
	for j, v := range s.Y {
		t.Y[j] = f(v, o.Y[j])
	}
	return t
}

// With returns the norms with more rows.
func (s Norms) With(ax, ya *mat.Dense) Norms {
	return s.Plus(Norms{A: dense.ColumnNorms(ax), Y: dense.ColumnNorms(ya)})
}

// Plus returns the norms of the rows of both.
func (s Norms) Plus(o Norms) Norms {
	sum := s.each(o, detmath.Hypot)
	sum.Peak = max(s.Peak, o.Peak, dense.Norm(sum.A))
	return sum
}

// Without returns the norms without some rows.
func (s Norms) Without(ax, ya *mat.Dense) Norms {
	return s.each(Norms{A: dense.ColumnNorms(ax), Y: dense.ColumnNorms(ya)}, Leg)
}

// Leg returns the other leg of a right triangle, sqrt(h² - v²).
func Leg(h, v float64) float64 {
	if !(v < h) {
		return 0
	}
	r := v / h
	return h * math.Sqrt((1-r)*(1+r))
}

// WithNodes returns the norms with those of more columns of A.
func (s Norms) WithNodes(norms []float64) Norms {
	return Norms{A: slices.Concat(s.A, norms), Y: s.Y, Peak: detmath.Hypot(s.Peak, dense.Norm(norms))}
}

// Safe returns s, and ErrOverflow where the product of two columns could overflow.
func (s Norms) Safe() (Norms, error) {
	if a, y := dense.LargestOf(s.A), dense.LargestOf(s.Y); !(a*max(a, y) < math.MaxFloat64/4) {
		return s, types.ErrOverflow
	}
	return s, nil
}

// Scaled returns the norms of f A and f Y.
func (s Norms) Scaled(f float64) Norms {
	t := s.each(s, func(v, _ float64) float64 { return f * v })
	t.Peak = f * s.Peak
	return t
}

// Shrunk returns the Frobenius norm of [A; sqrt(lambda) I] over the largest so far. Errors of a state
// are relative to the latter.
func (s Norms) Shrunk(lambda float64) float64 {
	root := math.Sqrt(lambda) * math.Sqrt(float64(len(s.A))) // the product lambda k may overflow
	if most := detmath.Hypot(s.Peak, root); most > 0 {
		return min(1, detmath.Hypot(dense.Norm(s.A), root)/most)
	}
	return 1
}

// Code writes or reads the norms of k columns of A and c of Y.
func (s *Norms) Code(x *codec.Coder, k, c int) {
	x.Lengths("a norm of a column of A", &s.A, k)
	x.Lengths("a norm of a column of Y", &s.Y, c)
	x.Float("the largest norm of A", &s.Peak, codec.NotNegative)
}
