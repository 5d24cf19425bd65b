package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotxaxpyfRows is the number of rows that dotxaxpyf takes at once. Their sums, factors and elements
// fit into 16 registers, and their inner products, one accumulator each, keep the multiply-add unit
// as busy as their additions to y.
const dotxaxpyfRows = 4

// dotxaxpyf is the loop
//
//	for i := range m {
//		axpy(n, alpha*u[i], row(i), y)
//		v[i] += alpha*dot(n, row(i), x)
//	}
//
// for four rows at once, and loads each element once. row(i+1) begins lda + i*step elements after
// row(i), as in a packed triangle.
func dotxaxpyf(g *generator) {
	g.function("dotxaxpyf", "func(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64)",
		"is Kernel.Dotxaxpyf. The reference is ddotxaxpyfGeneric.")
	s := dotxaxpyfLoop{
		generator: g, n: g.argument("n"), a: g.argument("a"), lda: g.argument("lda"),
		x: g.argument("x"), u: g.argument("u"), y: g.argument("y"), v: g.argument("v"),
	}
	s.rest = g.GP64()
	g.MOVQ(s.n, s.rest)
	g.ANDQ(operand.Imm(uint64(g.lanes-1)), s.rest)
	s.mask = g.last(s.rest)
	m := g.argument("m")
	for _, rows := range []int{dotxaxpyfRows, 1} {
		label := fmt.Sprintf("dotxaxpyf_rows%d", rows)
		g.while(label, m, rows, nil, func() { s.block(label, rows) })
	}
	g.ret()
}

// A dotxaxpyfLoop has the arguments of dotxaxpyf but m and alpha; a, u and v move from block to block.
type dotxaxpyfLoop struct {
	*generator
	n, a, lda, x, u, y, v reg.GPVirtual
	rest                  reg.GPVirtual // elements of a row that do not fill a vector
	mask                  reg.Register  // of these, as loadTail takes it
}

// block takes some rows. Register r is the sum of row r, 4 + r holds elements of it, and 8 + r its
// factor; 12 and 13 hold elements of x and y.
func (s dotxaxpyfLoop) block(label string, rows int) {
	sum := func(r int) reg.VecPhysical { return s.register(r) }
	element := func(r int) reg.VecPhysical { return s.register(dotxaxpyfRows + r) }
	factor := func(r int) reg.VecPhysical { return s.register(2*dotxaxpyfRows + r) }
	x, y := s.register(3*dotxaxpyfRows), s.register(3*dotxaxpyfRows+1)

	pointers := make([]reg.GPVirtual, rows)
	s.VBROADCASTSD(s.parameter("alpha"), x)
	for r := range rows {
		pointers[r] = s.GP64()
		s.MOVQ(s.a, pointers[r])
		s.LEAQ(operand.Mem{Base: s.a, Index: s.lda, Scale: 8}, s.a)
		s.ADDQ(s.parameter("step"), s.lda)
		s.zero(sum(r))
		s.VBROADCASTSD(operand.Mem{Base: s.u, Disp: 8 * r}, factor(r))
		s.VMULPD(x, factor(r), factor(r))
	}
	s.ADDQ(operand.Imm(uint64(8*rows)), s.u)

	i := s.GP64()
	at := func(base reg.GPVirtual, k int) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: 8, Disp: 8 * s.lanes * k}
	}
	add := func(k int, load func(m operand.Mem, v reg.VecPhysical)) {
		load(at(s.x, k), x)
		load(at(s.y, k), y)
		for r := range rows {
			load(at(pointers[r], k), element(r))
			s.VFMADD231PD(element(r), x, sum(r))
			s.VFMADD231PD(element(r), factor(r), y)
		}
	}
	vector := func(k int) {
		add(k, func(m operand.Mem, v reg.VecPhysical) { s.VMOVUPD(m, v) })
		s.VMOVUPD(y, at(s.y, k))
	}
	// i is the first element left plus those of a turn.
	const turn = 2
	s.MOVQ(operand.U32(turn*uint32(s.lanes)), i)
	s.loop(label+"_pairs", i, turn*s.lanes, s.n, func() {
		for k := range turn {
			vector(k - turn)
		}
	})
	s.SUBQ(operand.Imm(uint64(s.lanes)), i)
	s.loop(label+"_vector", i, s.lanes, s.n, func() { vector(-1) })
	s.SUBQ(operand.Imm(uint64(s.lanes)), i)
	s.ifZero(s.rest, s.JE, label+"_end")
	add(0, func(m operand.Mem, v reg.VecPhysical) { s.loadTail(s.mask, m, v) })
	s.storeTail(label, s.mask, s.rest, y, at(s.y, 0))
	s.Label(label + "_end")

	total := s.sums(rows)
	alpha, old := ymm(12), ymm(13)
	s.VBROADCASTSD(s.parameter("alpha"), alpha)
	if rows == 1 {
		s.VMOVSD(operand.Mem{Base: s.v}, old.AsX())
		s.VFMADD231SD(total.AsX(), alpha.AsX(), old.AsX())
		s.VMOVSD(old.AsX(), operand.Mem{Base: s.v})
	} else {
		s.VMOVUPD(operand.Mem{Base: s.v}, old)
		s.VFMADD231PD(total, alpha, old)
		s.VMOVUPD(old, operand.Mem{Base: s.v})
	}
	s.ADDQ(operand.Imm(uint64(8*rows)), s.v)
}

// loop repeats body as long as i <= n, each time adding step to i.
func (g *generator) loop(label string, i reg.GPVirtual, step int, n reg.GPVirtual, body func()) {
	g.compare(i, n, g.JG, label+"_done")
	g.Label(label)
	body()
	g.ADDQ(operand.Imm(uint64(step)), i)
	g.compare(i, n, g.JLE, label)
	g.Label(label + "_done")
}
