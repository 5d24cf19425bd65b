package main

import "github.com/mmcloughlin/avo/operand"

// The rows of tanhTable.
const (
	tanhClamp = iota
	tanhBreak
	tanhLog
	tanhShift
	tanhHi
	tanhLo
	tanhP3
	tanhP2
	tanhP1
	tanhP0
	tanhA3
	tanhA2
	tanhA1
	tanhOne
	tanhTwo
	tanhSign
	tanhRows
)

// tanh is dtanhGeneric without branches, with its names: it computes both sides of the break up to the
// quotient, and each lane selects its numerator, denominator and base.
func tanh(g *generator) {
	g.elementwise("Tanh", tanhRows, tanhBody,
		"computes dst[i] = tanh(src[i]) for i < n with the constants of tanhTable.",
		"The reference is dtanhGeneric.")
}

func tanhBody(e *elementwise, x []vector) []vector {
	c := e.constants
	n, y, s, pow, large := e.fresh(len(x)), e.fresh(len(x)), e.fresh(len(x)), e.fresh(len(x)), make([]lanemask, len(x))
	for i := range x {
		e.VANDNPD(x[i], e.held(tanhSign), y[i])
		e.VMINPD(y[i], e.held(tanhClamp), y[i]) // y, the second source, where it is NaN
	}
	for i := range x {
		large[i] = e.notLess(y[i], tanhBreak)
		pow[i] = e.constant(tanhLog)
		e.VFMADD213PD(c[tanhShift], y[i], pow[i])
		e.VSUBPD(c[tanhShift], pow[i], n[i])
		e.VPSLLQ(operand.Imm(52), pow[i], pow[i])
		e.keep(large[i], n[i])
	}
	for i := range x {
		e.VFNMADD231PD(c[tanhHi], n[i], y[i])
		e.VFNMADD231PD(c[tanhLo], n[i], y[i])
		e.VMULPD(y[i], y[i], s[i])
	}
	p, a := e.polynomials(s, tanhP3, tanhP0), e.polynomials(s, tanhA3, tanhOne)
	num := e.fresh(len(x))
	for i := range x {
		b, plus, den := p[i], e.vec(), a[i]
		e.VMULPD(s[i], p[i], p[i])             // w
		e.VMULPD(p[i], y[i], num[i])           // y·w
		e.VFNMADD132PD(c[tanhTwo], a[i], p[i]) // B
		e.VMOVAPD(a[i], plus)
		e.VFMADD231PD(p[i], y[i], plus) // A + y·B
		e.VFNMADD213PD(a[i], y[i], b)   // b = A - y·B
		e.VFMADD213PD(b, pow[i], plus)
		e.replace(large[i], b, num[i])
		e.replace(large[i], plus, den)
		e.VDIVPD(den, num[i], num[i])
	}
	for i := range x {
		e.replace(large[i], c[tanhOne], y[i])
		e.VFNMADD231PD(c[tanhTwo], num[i], y[i])
	}
	for i := range x {
		if e.lanes == 8 {
			const orAnd = 0xf8 // first | second & third
			e.VPTERNLOGQ(operand.Imm(orAnd), c[tanhSign], x[i], y[i])
		} else {
			e.VANDPD(c[tanhSign], x[i], x[i])
			e.VORPD(x[i], y[i], y[i])
		}
	}
	return y
}
