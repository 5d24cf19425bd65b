package blsupdate

// code writes or reads A⁺ and W, the keys of the samples where they are known, and A where it is kept, which is where
// C is to be computed.
func (u *pseudoinverse) code(x *coder) {
	l := x.samples
	x.int("the rank", &u.rank, u.k)
	x.float("the norm of A", &u.norm, notNegative)
	x.float("the largest norm of A", &u.worst.a, notNegative)
	x.float("the largest norm of A+", &u.worst.plus, notNegative)
	x.int("the power of κ", &u.worst.power, 2)
	x.check(u.worst.power > 0, "the power of κ is 0")
	x.float("the drift", &u.drift, notNegative)
	x.floats("W", &u.w, u.k*u.c)
	if x.present(u.keys != nil) {
		x.words("keys", &u.keys, l)
	}
	u.p.code(x, "A+", u.k, l)
	if u.computesC() {
		u.a.code(x, "A", u.k, l)
	} else if x.reading() {
		u.a = rows{cols: u.k}
	}
}
