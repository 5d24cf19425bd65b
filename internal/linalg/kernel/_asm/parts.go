package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// parts writes loops over n elements of the rows at pointers; body writes the code for count parts of
// each row. The loops take unroll vectors at a time, then one, then the rest. With AVX-512 the rest is
// under the mask edge. With AVX2 it is a pair, an element or both, since AMD microcodes masked stores.
// Part i of a row is i vectors after its pointer. The loops overwrite n and the pointers.
func (g *generator) parts(label string, unroll int, n reg.GPVirtual, edge reg.Register, pointers []reg.GPVirtual, body func(p part, count int)) {
	g.while(label+"_unrolled", n, unroll*g.lanes, pointers, func() {
		body(g.whole(), unroll)
	})
	g.while(label+"_vector", n, g.lanes, pointers, func() { body(g.whole(), 1) })
	if g.lanes == 8 {
		g.ifZero(n, g.JE, label+"_end")
		body(part{g, g.lanes, edge}, 1)
		g.Label(label + "_end")
		return
	}
	for _, width := range []int{2, 1} {
		skip := fmt.Sprintf("%s_no%d", label, width)
		g.TESTQ(operand.I32(width), n)
		g.JE(operand.LabelRef(skip))
		body(part{g, width, nil}, 1)
		g.forward(pointers, width)
		g.Label(skip)
	}
}

// while writes a loop that repeats body as long as n >= step. Each iteration subtracts step from n and
// moves the pointers by step elements.
func (g *generator) while(label string, n reg.GPVirtual, step int, pointers []reg.GPVirtual, body func()) {
	g.SUBQ(operand.I32(step), n)
	g.JL(operand.LabelRef(label + "_done"))
	g.repeat(label, n, step, pointers, body)
	g.Label(label + "_done")
	g.ADDQ(operand.I32(step), n)
}

// repeat writes the loop of while for an n from which step has been subtracted, and does not add it.
func (g *generator) repeat(label string, n reg.GPVirtual, step int, pointers []reg.GPVirtual, body func()) {
	g.Label(label)
	body()
	g.forward(pointers, step)
	g.SUBQ(operand.I32(step), n)
	g.JGE(operand.LabelRef(label))
}

func (g *generator) forward(pointers []reg.GPVirtual, n int) {
	for _, p := range pointers {
		g.ADDQ(operand.I32(8*n), p)
	}
}

// A part is the unit that one instruction of parts accesses: a vector, the first elements of a vector
// under a mask, a pair, or one element.
type part struct {
	*generator
	width int
	mask  reg.Register // nil without a mask
}

func (g *generator) whole() part { return part{g, g.lanes, nil} }

// of returns the X, Y or Z register of v that holds part p.
func (p part) of(v reg.Vec) reg.Register {
	switch p.width {
	case 8:
		return v.AsZ()
	case 4:
		return v.AsY()
	}
	return v.AsX()
}

func (p part) load(m operand.Mem, v reg.Vec) {
	switch {
	case p.width == 1:
		p.VMOVSD(m, p.of(v))
	case p.mask != nil:
		p.VMOVUPD_Z(m, p.mask, p.of(v))
	default:
		p.VMOVUPD(m, p.of(v))
	}
}

func (p part) store(v reg.Vec, m operand.Mem) {
	switch {
	case p.width == 1:
		p.VMOVSD(p.of(v), m)
	case p.mask != nil:
		p.VMOVUPD(p.of(v), p.mask, m)
	default:
		p.VMOVUPD(p.of(v), m)
	}
}

// update loads count parts from memory, lets compute change each of them, and stores them. All loads
// come before all stores. With a store after each load, passes over more data than the L2 cache holds
// take up to 10% longer on Zen 5.
func (p part) update(count int, at func(i int) operand.Mem, compute func(i int, v vector)) {
	v := make([]vector, count)
	for i := range v {
		v[i] = p.vec()
		p.load(at(i), v[i])
	}
	for i := range v {
		compute(i, v[i])
	}
	for i := range v {
		p.store(v[i], at(i))
	}
}

// along returns the argument at of update for adjacent vectors from base on.
func (g *generator) along(base reg.Register) func(i int) operand.Mem {
	return func(i int) operand.Mem { return g.at(base, i) }
}

// fmaMemory adds t times the elements at m to v, with a single rounding.
func (p part) fmaMemory(m operand.Mem, t, v reg.Vec) {
	switch {
	case p.width == 1:
		p.VFMADD231SD(m, p.of(t), p.of(v))
	case p.mask != nil:
		p.VFMADD231PD(m, p.of(t), p.mask, p.of(v))
	default:
		p.VFMADD231PD(m, p.of(t), p.of(v))
	}
}

// fma adds t times u to v, with a single rounding.
func (p part) fma(u, t, v reg.Vec) { p.VFMADD231PD(p.of(u), p.of(t), p.of(v)) }

func (p part) mul(t, v reg.Vec) { p.VMULPD(p.of(t), p.of(v), p.of(v)) }

// and clears the bits of v that are not set in mask.
func (p part) and(mask, v reg.Vec) { p.VANDPD(p.of(mask), p.of(v), p.of(v)) }
