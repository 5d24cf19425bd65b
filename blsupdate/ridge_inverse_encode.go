package blsupdate

// code writes or reads Q and W with their bounds.
func (s *ridgeInverse) code(x *coder) {
	x.float("lambda", &s.ridge, isLength)
	x.float("the gain", &s.gain, isPositive)
	x.symmetric("Q", &s.q, s.k)
	x.dense("W", &s.w, s.k, s.c)
	s.size.code(x, s.k, s.c)
	x.float("the largest norm of Q", &s.peak, notNegative)
	x.float("the smallest 1/κ", &s.worst, notNegative)
	x.float("the noted trace of Q", &s.noted, notNegative)
	x.float("the bound on Q", &s.mostQ, notNegative)
	x.float("the bound on W", &s.mostW, notNegative)
	if x.reading() && !x.failed() {
		x.within("Q", largestOf(s.q.RawSymPacked().Data), s.mostQ)
		x.within("W", largestOf(s.w.RawMatrix().Data), s.mostW)
	}
}

// within refuses a bound that is none. What a bound was added up from is rounded, as is what it bounds, so that it
// may be off by a little.
func (x *coder) within(what string, most, bound float64) {
	if !(most <= 2*bound) {
		x.r.Fail("%s has %g in it, and its bound is %g", what, most, bound)
	}
}
