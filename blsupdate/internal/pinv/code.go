package pinv

import (
	"blskernel/blsupdate/internal/coder"
)

// code writes or reads A⁺ and W, the keys of the samples where they are known, and A where it is kept, which is where
// C is to be computed.
func (u *State) Code(x *coder.Coder) {
	l := x.Samples
	x.Int("the rank", &u.Rank, u.K)
	x.Float("the norm of A", &u.Norm, coder.NotNegative)
	x.Float("the largest norm of A", &u.Worst.a, coder.NotNegative)
	x.Float("the largest norm of A+", &u.Worst.plus, coder.NotNegative)
	x.Int("the power of κ", &u.Worst.Power, 2)
	x.Check(u.Worst.Power > 0, "the power of κ is 0")
	x.Float("the drift", &u.drift, coder.NotNegative)
	x.Floats("W", &u.W, u.K*u.C)
	if x.Present(u.Keys != nil) {
		x.Words("keys", &u.Keys, l)
	}
	u.P.Code(x, "A+", u.K, l)
	if u.computesC() {
		u.A.Code(x, "A", u.K, l)
	} else if x.Reading() {
		u.A = Rows{Cols: u.K}
	}
}
