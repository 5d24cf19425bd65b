package blsupdate

// code writes or reads F and W with their bounds.
func (s *inverseCholesky) code(x *coder) {
	x.float("the gain", &s.gain, isPositive)
	x.triangle("F", &s.l, s.k, false)
	x.dense("W", &s.w, s.k, s.c)
	s.size.code(x, s.k, s.c)
	x.float("the largest norm of F", &s.peak, notNegative)
	x.float("the smallest 1/κ", &s.worst, notNegative)
	x.float("the noted norm of F", &s.noted, notNegative)
	x.float("the bound on F", &s.normL, notNegative)
	x.float("the bound on W", &s.mostW, notNegative)
	if !x.failed() {
		x.within("F", largestOf(s.l.RawMatrix().Data), s.normL)
		x.within("W", largestOf(s.w.RawMatrix().Data), s.mostW)
	}
}
