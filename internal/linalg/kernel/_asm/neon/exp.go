package neon

// The rows of expTable.
const (
	expMax = iota
	expMin
	expLog
	expShift
	expHi
	expLo
	expQ9
	expQ8
	expOne = iota + 8
)

// exp is dexpGeneric without branches, with its names.
func exp(g *generator) {
	g.elementwise("Exp", []int{expMax, expLog, expShift, expHi, expLo, expQ9, expQ8, expOne}, expBody,
		"computes dst[i] = exp(src[i]) for i < n with the constants of expTable.",
		"The reference is dexpGeneric.")
}

func expBody(e *elementwise) {
	r := e.arguments()
	e.with(expMax, func(i int, c vector) { e.fmin(r[i], c, r[i]) })
	e.with(expMin, func(i int, c vector) { e.fmax(r[i], c, r[i]) })
	z := e.line(expShift, expLog, r)
	n := e.vectors()
	e.with(expShift, func(i int, c vector) { e.fsub(z[i], c, n[i]) })
	e.with(expHi, func(i int, c vector) { e.fmls(n[i], c, r[i]) })
	e.with(expLo, func(i int, c vector) { e.fmls(n[i], c, r[i]) })
	r2 := n
	for i := range r {
		e.fmul(r[i], r[i], r2[i])
	}
	odd, q := e.polynomials(r2, expQ9, expQ8, 2, 4)
	for i := range r {
		e.fmla(odd[i], r[i], q[i])
	}
	h := odd
	e.with(expOne, func(i int, one vector) {
		l := e.fresh()
		e.fadd(one, r[i], h[i])
		e.fsub(h[i], one, l)
		e.fsub(r[i], l, l)
		e.fmla(r2[i], q[i], l)
		e.fadd(h[i], l, h[i])
		e.drop(l)
	})
	half := n
	for i := range z {
		e.op("VUSHR", 1, z[i], half[i])
		e.op("VSUB", half[i], z[i], z[i])
		e.op("VSHL", 52, half[i], half[i])
		e.op("VSHL", 52, z[i], z[i])
		e.fmul(h[i], half[i], h[i])
		e.fmul(h[i], z[i], r[i])
	}
}
