package main

import "github.com/mmcloughlin/avo/operand"

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
	expQ7
	expQ6
	expQ5
	expQ4
	expQ3
	expQ2
	expQ1
	expQ0
	expOne
	expRows
)

// exp is dexpGeneric without branches, with its names.
func exp(g *generator) {
	g.elementwise("Exp", expRows, expBody,
		"computes dst[i] = exp(src[i]) for i < n with the constants of expTable.",
		"The reference is dexpGeneric.")
}

func expBody(e *elementwise, x []vector) []vector {
	c := e.constants
	n, z, h, l, r2 := e.fresh(len(x)), e.fresh(len(x)), e.fresh(len(x)), e.fresh(len(x)), e.fresh(len(x))
	r := x
	for i := range x {
		e.VMINPD(x[i], e.held(expMax), x[i]) // x, the second source, where it is NaN
		e.VMAXPD(x[i], e.held(expMin), x[i])
	}
	for i := range x {
		z[i] = e.constant(expLog)
		e.VFMADD213PD(c[expShift], x[i], z[i])
		e.VSUBPD(c[expShift], z[i], n[i])
		e.VFNMADD231PD(c[expHi], n[i], r[i])
		e.VFNMADD231PD(c[expLo], n[i], r[i])
	}
	q, odd := e.fresh(len(x)), e.fresh(len(x))
	for i := range x {
		e.VMULPD(r[i], r[i], r2[i])
		odd[i], q[i] = e.constant(expQ9), e.constant(expQ8)
	}
	for row := expQ7; row < expQ0; row += 2 {
		for i := range x {
			e.VFMADD213PD(c[row], r2[i], odd[i])
			e.VFMADD213PD(c[row+1], r2[i], q[i])
		}
	}
	for i := range x {
		e.VFMADD231PD(odd[i], r[i], q[i])
		e.VADDPD(c[expOne], r[i], h[i])
		e.VSUBPD(c[expOne], h[i], l[i])
		e.VSUBPD(l[i], r[i], l[i])
		e.VFMADD213PD(l[i], r2[i], q[i])
		e.VADDPD(q[i], h[i], h[i])
	}
	for i := range x {
		if e.lanes == 8 {
			e.VSCALEFPD(n[i], h[i], h[i])
			continue
		}
		e.VPSRLQ(operand.Imm(1), z[i], n[i])
		e.VPSUBQ(n[i], z[i], z[i])
		e.VPSLLQ(operand.Imm(52), n[i], n[i])
		e.VPSLLQ(operand.Imm(52), z[i], z[i])
		e.VMULPD(n[i], h[i], h[i])
		e.VMULPD(z[i], h[i], h[i])
	}
	return h
}
