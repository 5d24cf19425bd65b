package neon

// The rows of tanhTable.
const (
	tanhClamp = iota
	tanhBreak
	tanhLog
	tanhShift
	tanhHi
	tanhLo
	tanhP3
	tanhA3  = iota + 3
	tanhOne = iota + 5
	tanhTwo
	tanhSign
)

// tanh is dtanhGeneric without branches, with its names: it computes both sides of the break up to the
// quotient, and each element selects its numerator, denominator and base.
func tanh(g *generator) {
	g.elementwise("Tanh", []int{tanhHi, tanhLo, tanhTwo, tanhOne}, tanhBody,
		"computes dst[i] = tanh(src[i]) for i < n with the constants of tanhTable.",
		"The reference is dtanhGeneric.")
}

func tanhBody(e *elementwise) {
	y := e.arguments()
	for _, v := range y {
		e.fabs(v, v)
	}
	e.with(tanhClamp, func(i int, c vector) { e.fmin(y[i], c, y[i]) })
	large := e.vectors()
	e.with(tanhBreak, func(i int, c vector) { e.fcmge(y[i], c, large[i]) })
	pow := e.line(tanhShift, tanhLog, y)
	n := e.vectors()
	e.with(tanhShift, func(i int, c vector) {
		e.fsub(pow[i], c, n[i])
		e.and(n[i], large[i], n[i])
		e.op("VSHL", 52, pow[i], pow[i])
	})
	e.with(tanhHi, func(i int, c vector) { e.fmls(n[i], c, y[i]) })
	e.with(tanhLo, func(i int, c vector) { e.fmls(n[i], c, y[i]) })
	s := n
	for i := range y {
		e.fmul(y[i], y[i], s[i])
	}
	w, a := e.polynomials(s, tanhP3, tanhA3, 1, 3)
	num := s
	e.with(tanhTwo, func(i int, two vector) {
		upper, plus, b := e.fresh(), e.fresh(), w[i]
		e.fmul(s[i], w[i], w[i])
		e.fmul(y[i], w[i], num[i])
		e.copy(a[i], upper)
		e.fmls(w[i], two, upper) // B
		e.copy(a[i], plus)
		e.fmla(y[i], upper, plus) // A + y·B
		e.copy(a[i], b)
		e.fmls(y[i], upper, b) // A - y·B
		e.bit(b, large[i], num[i])
		e.fmla(pow[i], plus, b)
		e.bit(b, large[i], a[i])
		e.fdiv(num[i], a[i], num[i])
		e.drop(upper, plus)
	})
	e.drop(w...)
	e.with(tanhOne, func(i int, c vector) { e.bit(c, large[i], y[i]) })
	e.with(tanhTwo, func(i int, c vector) { e.fmls(num[i], c, y[i]) })
	x := e.arguments() // again
	e.with(tanhSign, func(i int, c vector) { e.bit(x[i], c, y[i]) })
}
