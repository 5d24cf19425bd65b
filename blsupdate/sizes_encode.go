package blsupdate

// code writes or reads the norms of k columns of A and c of Y.
func (s *sizes) code(x *coder, k, c int) {
	x.lengths("a norm of a column of A", &s.a, k)
	x.lengths("a norm of a column of Y", &s.y, c)
	x.float("the largest norm of A", &s.peak, notNegative)
}
