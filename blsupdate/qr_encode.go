package blsupdate

// code writes or reads R, z and W, which Forget may have left as no solution gives it back.
func (s *triangular) code(x *coder) {
	if x.reading() {
		s.count = x.samples
	}
	x.check(s.count == x.samples, "there are %d samples, and should be %d", s.count, x.samples)
	x.triangle("R", &s.r, s.k, true)
	x.dense("z", &s.z, s.k, s.c)
	s.size.code(x, s.k, s.c)
	if x.present(s.w != nil) {
		x.dense("W", &s.w, s.k, s.c)
	}
	// An elimination in place cannot fail only as long as columns are bounded, whatever their norms are said to be. A
	// factor of 2 is more than what rounding makes of the bound.
	if !x.failed() {
		x.check(largest(columnNorms(s.r)) < 2*largestColumn && largest(columnNorms(s.z)) < 2*largestColumn, "the columns of R and z are too large")
	}
}
