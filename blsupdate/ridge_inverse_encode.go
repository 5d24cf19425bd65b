package blsupdate

// code writes or reads Q and W with their bounds.
func (s *ridgeInverse) code(x *coder) {
	if !x.reading() && s.noted < 0 {
		x.fail(&ConditionError{What: "Q, whose trace is negative", RCond: s.worst * s.worst, Instead: []Method{QR}})
	}
	x.float("the gain", &s.gain, isPositive)
	x.symmetric("Q", &s.q, s.k)
	x.dense("W", &s.w, s.k, s.c)
	s.size.code(x, s.k, s.c)
	x.float("the largest norm of Q", &s.peak, notNegative)
	x.float("the smallest 1/κ", &s.worst, notNegative)
	x.float("the noted trace of Q", &s.noted, notNegative)
	x.float("the bound on Q", &s.mostQ, notNegative)
	x.float("the bound on W", &s.mostW, notNegative)
	if !x.failed() {
		x.within("Q", largestOf(s.q.RawSymPacked().Data), s.mostQ)
		x.within("W", largestOf(s.w.RawMatrix().Data), s.mostW)
	}
}
