package main

import (
	"github.com/mmcloughlin/avo/operand"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// A tanhCode holds the constants. The caller passes them as a table, so that their values, origin and
// tests are in Go. AVX2 reads the constants from the table, which has each of them four times. AVX-512
// keeps the constants in registers.
type tanhCode struct {
	*generator
	constants []operand.Op
}

// A lanemask selects lanes: an opmask register in AVX-512, the sign bits of a vector in AVX2.
type lanemask = operand.Op

// tanh writes the loop dst[i] = tanh(src[i]). It takes two vectors at a time, as many as AVX2's 16
// registers hold, with interleaved instructions, and then one. The rest of a vector goes through the
// same instructions under a mask, so that results do not depend on the place of an element.
func tanh(g *generator) {
	g.function("Tanh")
	dst, src, n, table := g.argument("dst"), g.argument("src"), g.argument("n"), g.argument("table")
	t := &tanhCode{generator: g}
	for i := range spec.TanhRows {
		m := operand.Mem{Base: table, Disp: 32 * i}
		if g.lanes == 8 {
			v := g.vec()
			g.VBROADCASTSD(m, v)
			t.constants = append(t.constants, v)
		} else {
			t.constants = append(t.constants, m)
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
		for i, y := range t.values(x) {
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
	x, first := g.vec(), g.last(n)
	g.loadMasked(first, g.at(src, 0), x)
	g.storeMasked(first, t.values([]vector{x})[0], g.at(dst, 0))
	g.Label("done")
	g.ret()
}

// values writes the code that computes tanh of the vectors x, and returns the results. The code is tanh
// of package kernel without branches, with the same names. It computes numerators and denominators for
// both sides of the break, and each lane selects its numerator, denominator and base.
func (t *tanhCode) values(x []vector) []vector {
	c := t.constants
	n, y, s, pow, large := t.fresh(len(x)), t.fresh(len(x)), t.fresh(len(x)), t.fresh(len(x)), make([]lanemask, len(x))
	for i := range x {
		t.VANDNPD(x[i], t.held(spec.TanhSign), y[i])
		t.VMINPD(y[i], t.held(spec.TanhClamp), y[i]) // NaN stays, because y is the second source
	}
	for i := range x {
		large[i] = t.notLess(y[i], spec.TanhBreak)
		pow[i] = t.constant(spec.TanhLog)
		t.VFMADD213PD(c[spec.TanhShift], y[i], pow[i])
		t.VSUBPD(c[spec.TanhShift], pow[i], n[i])
		t.VPSLLQ(operand.Imm(52), pow[i], pow[i])
		t.keep(large[i], n[i])
	}
	for i := range x {
		t.VFNMADD231PD(c[spec.TanhHi], n[i], y[i])
		t.VFNMADD231PD(c[spec.TanhLo], n[i], y[i])
		t.VMULPD(y[i], y[i], s[i])
	}
	p, a := t.polynomials(s, spec.TanhP3, spec.TanhP0), t.polynomials(s, spec.TanhA3, spec.TanhOne)
	num := t.fresh(len(x))
	for i := range x {
		b, plus, den := p[i], t.vec(), a[i]
		t.VMULPD(s[i], p[i], p[i])                  // w
		t.VMULPD(p[i], y[i], num[i])                // y·w
		t.VFNMADD132PD(c[spec.TanhTwo], a[i], p[i]) // B
		t.VMOVAPD(a[i], plus)
		t.VFMADD231PD(p[i], y[i], plus) // A + y·B
		t.VFNMADD213PD(a[i], y[i], b)   // b = A - y·B
		t.VFMADD213PD(b, pow[i], plus)
		t.replace(large[i], b, num[i])
		t.replace(large[i], plus, den)
		t.VDIVPD(den, num[i], num[i])
	}
	for i := range x {
		t.replace(large[i], c[spec.TanhOne], y[i])
		t.VFNMADD231PD(c[spec.TanhTwo], num[i], y[i])
	}
	for i := range x {
		if t.lanes == 8 {
			const orAnd = 0xf8 // first | second & third
			t.VPTERNLOGQ(operand.Imm(orAnd), c[spec.TanhSign], x[i], y[i])
		} else {
			t.VANDPD(c[spec.TanhSign], x[i], x[i])
			t.VORPD(x[i], y[i], y[i])
		}
	}
	return y
}

// constant loads constant i into a fresh register, which the caller may overwrite, and returns it.
func (t *tanhCode) constant(i int) vector {
	v := t.vec()
	t.VMOVUPD(t.constants[i], v)
	return v
}

// held returns a register with constant i, for operands that cannot be memory.
func (t *tanhCode) held(i int) operand.Op {
	if t.lanes == 8 {
		return t.constants[i]
	}
	return t.constant(i)
}

// polynomials evaluates at each of x the polynomial with constants [from, to], highest power first.
func (t *tanhCode) polynomials(x []vector, from, to int) []vector {
	p := make([]vector, len(x))
	for i := range x {
		p[i] = t.constant(from)
	}
	for c := from + 1; c <= to; c++ {
		for i := range x {
			t.VFMADD213PD(t.constants[c], x[i], p[i])
		}
	}
	return p
}

// notLess returns the mask of the lanes in which x is NaN, or at least constant i.
func (t *tanhCode) notLess(x vector, i int) lanemask {
	const nlt = 5
	if t.lanes == 8 {
		k := t.K()
		t.VCMPPD(operand.Imm(nlt), t.constants[i], x, k)
		return k
	}
	k := t.vec()
	t.VCMPPD(operand.Imm(nlt), t.constants[i], x, k)
	return k
}

// keep sets the lanes of x outside the mask to zero.
func (t *tanhCode) keep(mask lanemask, x vector) {
	if t.lanes == 8 {
		t.VMOVAPD_Z(x, mask, x)
	} else {
		t.VANDPD(mask, x, x)
	}
}

// replace copies the lanes of y inside the mask to x. y is a register or, with AVX2, memory.
func (t *tanhCode) replace(mask lanemask, y operand.Op, x vector) {
	if t.lanes == 8 {
		t.VMOVAPD(y, mask, x)
	} else {
		t.VBLENDVPD(mask, y, x, x)
	}
}

func (g *generator) fresh(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = g.vec()
	}
	return v
}
