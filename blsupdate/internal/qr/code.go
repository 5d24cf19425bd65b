package qr

import (
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
)

// code writes or reads R, z and W, which Forget may have left as no solution gives it back.
func (s *State) Code(x *coder.Coder) {
	if x.Reading() {
		s.Count = x.Samples
	}
	x.Check(s.Count == x.Samples, "there are %d samples, and should be %d", s.Count, x.Samples)
	x.Triangle("R", &s.R, s.K, true)
	x.Dense("z", &s.Z, s.K, s.C)
	s.Size.Code(x, s.K, s.C)
	if x.Present(s.w != nil) {
		x.Dense("W", &s.w, s.K, s.C)
	}
	// An elimination in place cannot fail only as long as columns are bounded, whatever their norms are said to be. A
	// factor of 2 is more than what rounding makes of the bound.
	if !x.Failed() {
		x.Check(dense.Largest(dense.ColumnNorms(s.R)) < 2*LargestColumn && dense.Largest(dense.ColumnNorms(s.Z)) < 2*LargestColumn, "the columns of R and z are too large")
	}
}
