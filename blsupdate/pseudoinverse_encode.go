package blsupdate

// code writes or reads A⁺ and W, the keys of the samples where they are known, and A where it is kept, which is where
// C is to be computed.
func (u *pseudoinverse) code(x *coder) {
	l := x.samples
	x.float("lambda", &u.ridge, isLength)
	x.int("the rank", &u.rank, u.k)
	x.float("the norm of A", &u.norm, notNegative)
	x.float("the largest norm of A", &u.worst.a, notNegative)
	x.float("the largest norm of A+", &u.worst.plus, notNegative)
	x.int("the power of κ", &u.worst.power, 2)
	if u.worst.power == 0 && x.reading() {
		x.r.Fail("the power of κ cannot be 0")
	}
	x.float("the drift", &u.drift, notNegative)
	x.floats("W", &u.w, u.k*u.c)
	if x.present(u.keys != nil) {
		x.words(&u.keys, l)
	}
	u.p.code(x, "A+", u.k, l)
	if u.computesC() {
		u.a.code(x, "A", u.k, l)
	} else if x.reading() {
		u.a = rows{cols: u.k}
	}
}

// words codes n numbers of 64 bits that can be anything.
func (x *coder) words(v *[]uint64, n int) {
	if x.reading() {
		*v = x.r.Uint64s(n)
	} else {
		x.w.Uint64s(*v)
	}
}
