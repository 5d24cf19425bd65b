package cholesky

import (
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
)

// code writes or reads F and W with their bounds.
func (s *State) Code(x *coder.Coder) {
	x.Float("the gain", &s.Gain, coder.IsPositive)
	x.Triangle("F", &s.L, s.K, false)
	x.Dense("W", &s.W, s.K, s.C)
	s.size.Code(x, s.K, s.C)
	x.Float("the largest norm of F", &s.peak, coder.NotNegative)
	x.Float("the smallest 1/κ", &s.worst, coder.NotNegative)
	x.Float("the noted norm of F", &s.noted, coder.NotNegative)
	x.Float("the bound on F", &s.NormL, coder.NotNegative)
	x.Float("the bound on W", &s.MostW, coder.NotNegative)
	if !x.Failed() {
		x.Within("F", dense.LargestOf(s.L.RawMatrix().Data), s.NormL)
		x.Within("W", dense.LargestOf(s.W.RawMatrix().Data), s.MostW)
	}
}
