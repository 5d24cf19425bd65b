package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// level2 writes the kernels of a matrix and two vectors.
func level2(g *generator) {
	gemvN(g)
	gemvT(g)
	dotxaxpyf(g)
	if g.lanes == 4 {
		ger(g)
		symv(g)
	}
}

// A matrix is a row-major matrix that a kernel goes through in blocks of rows, from the top down.
type matrix struct {
	*generator
	m         reg.GPVirtual // rows that are left
	a         reg.GPVirtual // the first of them
	lda, lda3 reg.GPVirtual // 1 and 3 times the distance between rows, in bytes
}

func (g *generator) matrix() matrix {
	x := matrix{generator: g, m: g.argument("m"), a: g.argument("a"), lda: g.bytes("lda"), lda3: g.GP64()}
	g.LEAQ(operand.Mem{Base: x.lda, Index: x.lda, Scale: 2}, x.lda3)
	return x
}

// blocks writes a loop over blocks of r rows for each r in rows, which must descend. In the body,
// pointers hold the addresses of row 0 of the block and, if it has more than four rows, of row 4.
func (x matrix) blocks(label string, rows []int, body func(label string, rows int, pointers []reg.GPVirtual)) {
	for _, r := range rows {
		block := fmt.Sprintf("%s_rows%d", label, r)
		x.while(block, x.m, r, nil, func() {
			pointers := []reg.GPVirtual{x.GP64()}
			x.MOVQ(x.a, pointers[0])
			if r > 4 {
				pointers = append(pointers, x.GP64())
				x.LEAQ(operand.Mem{Base: x.a, Index: x.lda, Scale: 4}, pointers[1])
			}
			if r == 3 {
				x.ADDQ(x.lda3, x.a)
			} else {
				x.LEAQ(operand.Mem{Base: x.a, Index: x.lda, Scale: uint8(r)}, x.a)
			}
			body(block, r, pointers)
		})
	}
}

// at returns the address of vector i of row r of a block.
func (x matrix) at(pointers []reg.GPVirtual, r, i int) operand.Mem {
	m := x.generator.at(pointers[r/4], i)
	switch r % 4 {
	case 1, 2:
		m.Index, m.Scale = x.lda, uint8(r%4)
	case 3:
		m.Index, m.Scale = x.lda3, 1
	}
	return m
}

// gemvN writes Kernel.GemvN. Several rows share the loads of x: four with AVX-512 (16 accumulators).
// AVX2 has registers for the lanes of four short rows, or for half of the lanes of three longer rows
// (12 accumulators). Long rows, of a matrix that exceeds the L1 cache, are taken one by one: that is
// 1.1 to 1.2 times as fast as three at a time for n = 1000, but only 0.6 times as fast for n = 32.
func gemvN(g *generator) {
	g.function("GemvN")
	t := target{generator: g, alpha: g.register(g.vecs - 2), beta: g.register(g.vecs - 3)}
	factors := func() {
		g.VBROADCASTSD(g.parameter("alpha"), t.alpha)
		g.VBROADCASTSD(g.parameter("beta"), t.beta)
	}
	factors()
	length := g.argument("n")
	tail := g.tail(length)
	a := g.matrix()
	t.y, t.incY, t.read = g.argument("y"), g.bytes("incY"), g.nonzero("beta")
	blocks := func(label string, rows []int, few bool) {
		a.blocks(label, rows, func(label string, rows int, pointers []reg.GPVirtual) {
			n, x := g.argument("n"), g.argument("x")
			at := func(i, r int) operand.Mem { return a.at(pointers, r, i) }
			if few {
				g.zeros(0, fewLanes/g.lanes*rows)
				g.innerFew(label, rows, n, tail, x, append(pointers, x), at)
			} else {
				g.inner(label, rows, n, tail, x, pointers, at)
			}
			if g.lanes == 4 && rows > 1 {
				factors() // innerHalves uses all registers
			}
			t.set(label, rows, g.sums(rows))
		})
		g.ret()
	}
	if g.lanes == 8 {
		blocks("n", []int{4, 3, 2, 1}, false)
		return
	}
	g.compare(length, operand.Imm(manyLanes), g.JL, "short")
	g.compare(length, operand.I32(longRow), g.JG, "long")
	blocks("n", []int{3, 2, 1}, false)
	g.Label("short")
	blocks("few", []int{4, 3, 2, 1}, true)
	g.Label("long")
	blocks("long", []int{1}, false)
}

// longRow is the maximum length of rows that AVX2 takes several at a time. The value was measured.
const longRow = 250

// nonzero returns a register that is zero if and only if the named float64 argument is zero.
func (g *generator) nonzero(name string) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(g.parameter(name), r)
	g.SHLQ(operand.Imm(1), r) // without the sign
	return r
}

// A target is the vector y of gemvN, with elements incY bytes apart.
type target struct {
	*generator
	y, incY     reg.GPVirtual
	read        reg.GPVirtual // zero if beta is zero and y must not be read
	alpha, beta reg.VecPhysical
}

// set computes y = beta*y + alpha*s for rows elements of y, and moves y past them.
func (t target) set(label string, rows int, s reg.VecPhysical) {
	old, low, high := ymm(0), s.AsX(), ymm(1).AsX()
	if rows == 4 {
		t.compare(t.incY, operand.Imm(8), t.JNE, label+"_apart")
		t.VXORPD(old, old, old)
		t.ifZero(t.read, t.JE, label+"_unread")
		t.VMULPD(operand.Mem{Base: t.y}, t.beta.AsY(), old)
		t.Label(label + "_unread")
		t.VFMADD231PD(s, t.alpha.AsY(), old)
		t.VMOVUPD(old, operand.Mem{Base: t.y})
		t.ADDQ(operand.Imm(8*4), t.y)
		t.JMP(operand.LabelRef(label + "_set"))
		t.Label(label + "_apart")
	}
	if rows > 2 {
		t.VEXTRACTF128(operand.Imm(1), s, high)
	}
	for r := range rows {
		switch r {
		case 1:
			t.VUNPCKHPD(low, low, low)
		case 2:
			low = high
		case 3:
			t.VUNPCKHPD(high, high, high)
		}
		unread := fmt.Sprintf("%s_unread%d", label, r)
		t.VXORPD(old.AsX(), old.AsX(), old.AsX())
		t.ifZero(t.read, t.JE, unread)
		t.VMULSD(operand.Mem{Base: t.y}, t.beta.AsX(), old.AsX())
		t.Label(unread)
		t.VFMADD231SD(low, t.alpha.AsX(), old.AsX())
		t.VMOVSD(old.AsX(), operand.Mem{Base: t.y})
		t.ADDQ(t.incY, t.y)
	}
	if rows == 4 {
		t.Label(label + "_set")
	}
}

// gemvT writes Kernel.GemvT. The products of a column are added to its element of y in the order of the
// rows. If a row fills few vectors, y stays in registers throughout; otherwise eight rows share each
// load and store of y.
func gemvT(g *generator) {
	g.function("GemvT")
	a := g.matrix()
	x, incX := g.argument("x"), g.bytes("incX")
	g.narrow(a, x, incX)

	edge := g.edge(g.argument("n"))
	g.scaleBy("beta", edge)
	a.blocks("t", []int{8, 4, 2, 1}, func(label string, rows int, pointers []reg.GPVirtual) {
		t := g.multipliers(rows, x, incX)
		n, y := g.argument("n"), g.argument("y")
		g.parts(label, 2, n, edge, append(pointers, y), func(p part, count int) {
			p.update(count, g.along(y), func(i int, v vector) {
				for r := range rows {
					p.fmaMemory(a.at(pointers, r, i), t[r], v)
				}
			})
		})
	})
	g.ret()
}

// scaleBy multiplies the n elements of y by the named argument, unless that is 1. If the argument is
// zero, scaleBy clears the bits of the products, because 0 times NaN is NaN.
func (g *generator) scaleBy(name string, edge reg.Register) {
	one, keep := g.GP64(), g.vec()
	g.MOVQ(operand.U64(math.Float64bits(1)), one)
	g.compare(one, g.parameter(name), g.JEQ, "scaled")
	bits := g.nonzero(name)
	g.NEGQ(bits) // the carry is set unless bits is zero
	g.SBBQ(bits, bits)
	g.VMOVQ(bits, keep.AsX())
	g.VBROADCASTSD(keep.AsX(), keep)
	scale := g.vec()
	g.VBROADCASTSD(g.parameter(name), scale)
	n, y := g.argument("n"), g.argument("y")
	g.parts("scale", unroll, n, edge, []reg.GPVirtual{y}, func(p part, count int) {
		p.update(count, g.along(y), func(_ int, v vector) {
			p.mul(scale, v)
			p.and(keep, v)
		})
	})
	g.Label("scaled")
}

// narrow writes the code of gemvT for rows of at most four vectors; with longer rows, calls jump past
// it. The last vector is masked, even if it is whole.
func (g *generator) narrow(a matrix, x, incX reg.GPVirtual) {
	const most = 4
	n := g.argument("n")
	g.compare(n, operand.I32(most*g.lanes), g.JGT, "wide")
	alpha, beta := g.vec(), g.vec()
	g.VBROADCASTSD(g.parameter("alpha"), alpha)
	g.VBROADCASTSD(g.parameter("beta"), beta)
	y, read, rest := g.argument("y"), g.nonzero("beta"), g.GP64()
	g.LEAQ(operand.Mem{Base: n, Disp: -1}, rest)
	g.ANDQ(operand.Imm(uint64(g.lanes-1)), rest)
	g.INCQ(rest)
	last := g.last(rest)
	for vectors := 1; vectors <= most; vectors++ {
		label := fmt.Sprintf("narrow%d", vectors)
		if vectors < most {
			g.compare(n, operand.I32(vectors*g.lanes), g.JGT, label+"_not")
		}
		s := make([]vector, vectors)
		for i := range s {
			s[i] = g.vec()
			g.zero(s[i])
		}
		g.ifZero(read, g.JE, label)
		for i, v := range s {
			if i+1 < vectors {
				g.VMOVUPD(g.at(y, i), v)
			} else {
				g.loadMasked(last, g.at(y, i), v)
			}
			g.VMULPD(beta, v, v)
		}
		g.Label(label)
		t, u := g.vec(), g.vec()
		g.VBROADCASTSD(operand.Mem{Base: x}, t)
		g.VMULPD(alpha, t, t)
		for i, v := range s {
			if i+1 < vectors {
				g.VFMADD231PD(g.at(a.a, i), t, v)
			} else {
				g.loadMasked(last, g.at(a.a, i), u)
				g.VFMADD231PD(u, t, v)
			}
		}
		g.ADDQ(a.lda, a.a)
		g.ADDQ(incX, x)
		g.DECQ(a.m)
		g.JNE(operand.LabelRef(label))
		for i, v := range s[:vectors-1] {
			g.VMOVUPD(v, g.at(y, i))
		}
		g.storeTail(label, last, rest, s[vectors-1], g.at(y, vectors-1))
		g.ret()
		if vectors < most {
			g.Label(label + "_not")
		}
	}
	g.Label("wide")
}

// ger writes Kernel.Ger for several rows at once, which share the loads of y.
func ger(g *generator) {
	g.function("Ger")
	edge := g.edge(g.argument("n"))
	a := g.matrix()
	x, incX := g.argument("x"), g.bytes("incX")
	a.blocks("ger", []int{4, 2, 1}, func(label string, rows int, pointers []reg.GPVirtual) {
		t := g.multipliers(rows, x, incX)
		n, y := g.argument("n"), g.argument("y")
		g.parts(label, 2, n, edge, append(pointers, y), func(p part, count int) {
			u := make([]vector, count)
			for i := range u {
				u[i] = g.vec()
				p.load(g.at(y, i), u[i])
			}
			at := func(k int) operand.Mem { return a.at(pointers, k/count, k%count) }
			p.update(rows*count, at, func(k int, v vector) { p.fma(u[k%count], t[k/count], v) })
		})
	})
	g.ret()
}

// multipliers returns a vector of alpha*x[r*incX] for each row r, and moves x past these elements.
func (g *generator) multipliers(rows int, x, incX reg.GPVirtual) []vector {
	alpha := g.vec()
	g.VBROADCASTSD(g.parameter("alpha"), alpha)
	t := make([]vector, rows)
	for r := range t {
		t[r] = g.vec()
		g.VBROADCASTSD(operand.Mem{Base: x}, t[r])
		g.VMULPD(alpha, t[r], t[r])
		g.ADDQ(incX, x)
	}
	return t
}
