package blsupdate

// code writes or reads G, T and W, which Forget and Refine may have left as no solution gives it back. The factor is
// that of G and lambda, and is computed anew.
func (s *gram) code(x *coder) {
	x.symmetric("A'A", &s.g, s.k)
	x.dense("A'Y", &s.t, s.k, s.c)
	s.size.code(x, s.k, s.c)
	if x.present(s.w != nil) {
		x.dense("W", &s.w, s.k, s.c)
	}
}
