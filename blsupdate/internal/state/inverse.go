package state

import (
	"math"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/mat"
)

// Inverse is the common part of RidgeInverse and InverseCholesky. Their matrix X, which is Q or F, is
// kept as X/Gain, so that Forget changes only Gain and needs no pass over X.
type Inverse struct {
	Base
	Gain float64
	W    *mat.Dense // k×c, contiguous
	Size Norms

	// X keeps the errors of the worst state so far. Therefore Rows holds, for each row of F, its
	// largest norm so far, as lowered by Receded. RidgeInverse has no F: there the norms are the
	// square roots of the diagonal of Q.
	Rows []float64

	// Bounds on the elements of X/Gain and W, which tell whether an update in place can overflow.
	BoundX, BoundW float64
}

// Begin sets Gain, Rows and Size for a start from A and Y. It returns ErrOverflow if the product of two
// of their columns could overflow.
func (s *Inverse) Begin(a, y *mat.Dense) (err error) {
	s.Gain, s.Rows = 1, make([]float64, s.K)
	s.Size, err = NewNorms(s.K, s.C, s.Method == types.RidgeInverse).With(a, y, s.Lambda).Safe()
	return err
}

// CheckSize returns a *RankError if there are fewer samples (l) than nodes (k) and no ridge.
func (s *Inverse) CheckSize(l, k int) error {
	if l < k && s.Options.Lambda == 0 {
		return &types.RankError{Samples: l, Nodes: k}
	}
	return nil
}

// BelowFullRank returns the methods that can start from dependent columns of A.
func (s *Inverse) BelowFullRank() []types.Method {
	if s.Lambda > 0 {
		return nil
	}
	return []types.Method{types.Improved}
}

// NoteRows raises Rows to norms, the current norms of the rows of F, where these are larger.
func (s *Inverse) NoteRows(norms []float64) {
	rows := make([]float64, s.K)
	copy(rows, s.Rows)
	for j, v := range norms {
		if !(rows[j] >= v) {
			rows[j] = v
		}
	}
	s.Rows = rows
}

// NoteWeights adds to Size the rounding errors of the current W in a change by q rows.
func (s *Inverse) NoteWeights(q int) { s.Size.ErrWeights(Unit(q, s.K), s.Lambda, s.W) }

// NoteGain calls Size.ErrGain for a change by q rows. before is the state before the change. rows has
// the norms of the rows of F, before an addition or after a removal. rest and fit are as in ErrGain.
func (s *Inverse) NoteGain(q int, rest float64, before *Inverse, rows, fit []float64) {
	now := ReachOfRows(s.Size.Lengths(s.Lambda), rows)
	s.Size.ErrGain(q, rest, s.Lambda, now, s.Reach(), before.Size.Rest, fit)
}

// Reach returns the bounds that follow from Rows.
func (s *Inverse) Reach() Reach { return ReachOfRows(s.Size.Lengths(s.Lambda), s.Rows) }

// ConditionOf reports how accurate W is, given rows, the norms of the rows of F.
func (s *Inverse) ConditionOf(rows []float64) Condition {
	reach, power := ReachOfRows(s.Size.Lengths(s.Lambda), rows), 1
	if s.Size.Squared {
		power = 2
	}
	size := s.Size.Turned(s.Reach())
	c := Condition{RCond: reach.RCond(), Power: power, Error: size.Error(reach, s.Lambda, s.W)}
	c.Grown = size.Grown(s.Samples, reach, s.Lambda)
	c.Rebuilt = s.Size.Rebuilt(s.Samples, reach, s.Lambda, s.W)
	return c
}

// RSS returns KnownRSS, with Drift as the relative error of the residuals.
func (s *Inverse) RSS(w *mat.Dense) (rss, least []float64) { return s.KnownRSS(s.Size, s.Size.Drift) }

func (s *Inverse) Weights() (*mat.Dense, Outcome, error) { return s.W, Outcome{}, nil }

// maxGain is the Gain above which ForgetBy multiplies it into X, long before overflow or underflow.
const maxGain = 0x1p200

// ForgetBy multiplies the weights of all rows by factor, which divides X by divisor. data holds the
// elements of X/Gain. It returns ErrOverflow if X could overflow, which takes a very long time without
// new rows in some direction.
func (s *Inverse) ForgetBy(factor, divisor float64, data []float64) error {
	gain, bound := s.Gain/divisor, s.BoundX
	if gain > maxGain { // new rows may have made X/Gain smaller since BoundX was set
		bound = min(bound, dense.Norm(data))
	}
	if !(gain < math.MaxFloat64/max(bound, 1)) {
		return types.ErrOverflow
	}
	s.Gain, s.BoundX = gain, bound
	s.Lambda *= factor
	s.Size = s.Size.Scaled(math.Sqrt(factor))
	rows := make([]float64, s.K)
	for j, v := range s.Rows {
		rows[j] = Capped(v / math.Sqrt(factor))
	}
	s.Rows = rows
	if s.Gain > maxGain {
		dense.Scale(s.Gain, data)
		s.BoundX *= s.Gain
		s.Gain = 1
	}
	return nil
}

// CodeInverse writes or reads s. The name of X in errors is name. matrix writes or reads X/Gain, and
// data returns its elements.
func (s *Inverse) CodeInverse(x *codec.Coder, name string, matrix func(), data func() []float64) {
	x.Float("the gain", &s.Gain, codec.IsPositive)
	matrix()
	x.Dense("W", &s.W, s.K, s.C)
	if x.Reading() {
		s.Size.Squared = s.Method == types.RidgeInverse
	}
	s.Size.Code(x, s.K, s.C)
	x.Lengths("the largest norm of a row of F", &s.Rows, s.K)
	x.Float("the bound on "+name, &s.BoundX, codec.NotNegative)
	x.Float("the bound on W", &s.BoundW, codec.NotNegative)
	if !x.Failed() {
		x.Within(name, dense.LargestOf(data()), s.BoundX)
		x.Within("W", dense.LargestOf(s.W.RawMatrix().Data), s.BoundW)
	}
}
