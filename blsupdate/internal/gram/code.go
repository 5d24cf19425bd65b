package gram

import (
	"blskernel/blsupdate/internal/coder"
)

// code writes or reads G, T and W, which Forget and Refine may have left as no solution gives it back. The factor is
// that of G and lambda, and is computed anew.
func (s *State) Code(x *coder.Coder) {
	x.Symmetric("A'A", &s.g, s.K)
	x.Dense("A'Y", &s.t, s.K, s.C)
	s.size.Code(x, s.K, s.C)
	if x.Present(s.w != nil) {
		x.Dense("W", &s.w, s.K, s.C)
	}
}
