package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An elementwise function is a loop dst[i] = f(src[i]). The caller passes its constants as a table, so
// that their values, origin and tests are in Go. The table has each constant four times, for AVX2,
// which reads them from memory; AVX-512 keeps all of them in registers.
type elementwise struct {
	*generator
	constants []operand.Op
}

// A lanemask selects lanes: an opmask register in AVX-512, the sign bits of a vector in AVX2.
type lanemask = operand.Op

// elementwise writes the function of the given name. The body turns vectors of arguments into vectors
// of results and interleaves their instructions: two vectors in the main loop, as many as AVX2's 16
// registers hold, then one. A last part of a vector goes through the same instructions under a mask, so
// that the value of an element does not depend on its place.
func (g *generator) elementwise(name string, constants int, body func(e *elementwise, x []vector) []vector, doc ...string) {
	g.function(name, "func(dst, src *float64, n int, table *float64)", doc...)
	dst, src, n, table := g.argument("dst"), g.argument("src"), g.argument("n"), g.argument("table")
	e := &elementwise{generator: g}
	for i := range constants {
		m := operand.Mem{Base: table, Disp: 32 * i}
		if g.lanes == 8 {
			v := g.vec()
			g.VBROADCASTSD(m, v)
			e.constants = append(e.constants, v)
		} else {
			e.constants = append(e.constants, m)
		}
	}

	vectors := func(label, next string, count int) {
		g.Label(label)
		g.compare(n, operand.Imm(uint64(count*g.lanes)), g.JLT, next)
		x := make([]vector, count)
		for i := range x {
			x[i] = g.vec()
			g.VMOVUPD(g.at(src, i), x[i])
		}
		for i, y := range body(e, x) {
			g.VMOVUPD(y, g.at(dst, i))
		}
		g.ADDQ(operand.Imm(uint64(8*count*g.lanes)), src)
		g.ADDQ(operand.Imm(uint64(8*count*g.lanes)), dst)
		g.SUBQ(operand.Imm(uint64(count*g.lanes)), n)
		g.JMP(operand.LabelRef(label))
	}
	vectors("pair", "single", 2)
	vectors("single", "tail", 1)

	g.Label("tail")
	g.ifZero(n, g.JZ, "done")
	x := g.vec()
	if g.lanes == 8 {
		bits, first := g.GP32(), g.K()
		g.MOVL(operand.U32(1), bits)
		g.MOVQ(n, reg.RCX)
		g.SHLL(reg.CL, bits)
		g.DECL(bits)
		g.KMOVW(bits, first)
		g.VMOVUPD_Z(g.at(src, 0), first, x)
		g.VMOVUPD(body(e, []vector{x})[0], first, g.at(dst, 0))
	} else {
		first := g.vec()
		g.firstLanes(n, first)
		g.VMASKMOVPD(g.at(src, 0), first, x)
		g.VMASKMOVPD(body(e, []vector{x})[0], first, g.at(dst, 0))
	}
	g.Label("done")
	g.ret()
}

// firstLanes sets lane i of an AVX2 vector to all ones if i < n and to zero otherwise.
func (g *generator) firstLanes(n reg.GPVirtual, mask vector) {
	lane := g.StaticGlobal("lane")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		g.AddDatum(8*i, operand.U64(i))
	}
	g.VMOVQ(n, mask.AsX())
	g.VPBROADCASTQ(mask.AsX(), mask)
	g.VPCMPGTQ(lane, mask, mask)
}

// constant returns a fresh register with constant i, which the caller may overwrite.
func (e *elementwise) constant(i int) vector {
	v := e.vec()
	e.VMOVUPD(e.constants[i], v)
	return v
}

// held returns a register with constant i, for operands that cannot be memory.
func (e *elementwise) held(i int) operand.Op {
	if e.lanes == 8 {
		return e.constants[i]
	}
	return e.constant(i)
}

// polynomials returns the polynomials at x with coefficients from to to, the highest power first.
func (e *elementwise) polynomials(x []vector, from, to int) []vector {
	p := make([]vector, len(x))
	for i := range x {
		p[i] = e.constant(from)
	}
	for c := from + 1; c <= to; c++ {
		for i := range x {
			e.VFMADD213PD(e.constants[c], x[i], p[i])
		}
	}
	return p
}

// notLess returns the mask of the lanes where x < constant i does not hold: NaN is among them.
func (e *elementwise) notLess(x vector, i int) lanemask {
	const nlt = 5
	if e.lanes == 8 {
		k := e.K()
		e.VCMPPD(operand.Imm(nlt), e.constants[i], x, k)
		return k
	}
	k := e.vec()
	e.VCMPPD(operand.Imm(nlt), e.constants[i], x, k)
	return k
}

// keep sets the lanes of x outside the mask to zero.
func (e *elementwise) keep(mask lanemask, x vector) {
	if e.lanes == 8 {
		e.VMOVAPD_Z(x, mask, x)
	} else {
		e.VANDPD(mask, x, x)
	}
}

// replace copies the lanes of y inside the mask to x; y is a register or, with AVX2, memory.
func (e *elementwise) replace(mask lanemask, y operand.Op, x vector) {
	if e.lanes == 8 {
		e.VMOVAPD(y, mask, x)
	} else {
		e.VBLENDVPD(mask, y, x, x)
	}
}

func (g *generator) fresh(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = g.vec()
	}
	return v
}
