package ridge

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
)

// code writes or reads Q and W with their bounds.
func (s *State) Code(x *coder.Coder) {
	if !x.Reading() && s.Noted < 0 {
		x.Fail(&api.ConditionError{What: "Q, whose trace is negative", RCond: s.worst * s.worst, Instead: []api.Method{api.QR}})
	}
	x.Float("the gain", &s.gain, coder.IsPositive)
	x.Symmetric("Q", &s.Q, s.K)
	x.Dense("W", &s.W, s.K, s.C)
	s.size.Code(x, s.K, s.C)
	x.Float("the largest norm of Q", &s.peak, coder.NotNegative)
	x.Float("the smallest 1/κ", &s.worst, coder.NotNegative)
	x.Float("the noted trace of Q", &s.Noted, coder.NotNegative)
	x.Float("the bound on Q", &s.MostQ, coder.NotNegative)
	x.Float("the bound on W", &s.MostW, coder.NotNegative)
	if !x.Failed() {
		x.Within("Q", dense.LargestOf(s.Q.RawSymPacked().Data), s.MostQ)
		x.Within("W", dense.LargestOf(s.W.RawMatrix().Data), s.MostW)
	}
}
