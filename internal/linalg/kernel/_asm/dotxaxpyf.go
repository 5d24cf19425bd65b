package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotxaxpyfRows is the number of rows that dotxaxpyf takes at once. The sums, factors and elements of
// four rows fit into 16 registers. The inner products, with one accumulator each (two with AVX2), keep
// the multiply-add units as busy as the additions to y.
const dotxaxpyfRows = 4

// dotxaxpyf writes Kernel.Dotxaxpyf, which takes four rows at once and loads each element once.
func dotxaxpyf(g *generator) {
	g.function("Dotxaxpyf")
	s := dotxaxpyfLoop{
		generator: g, n: g.argument("n"), a: g.argument("a"), lda: g.argument("lda"),
		x: g.argument("x"), u: g.argument("u"), y: g.argument("y"), v: g.argument("v"),
	}
	s.rest = g.GP64()
	g.MOVQ(s.n, s.rest)
	g.ANDQ(operand.Imm(fewLanes-1), s.rest)
	s.tail = g.tail(s.n)
	m := g.argument("m")
	for _, rows := range []int{dotxaxpyfRows, 1} {
		label := fmt.Sprintf("dotxaxpyf_rows%d", rows)
		g.while(label, m, rows, nil, func() { s.block(label, rows) })
	}
	g.ret()
}

// A dotxaxpyfLoop holds the arguments of Dotxaxpyf except m and alpha; a, u and v advance by blocks.
type dotxaxpyfLoop struct {
	*generator
	n, a, lda, x, u, y, v reg.GPVirtual
	rest                  reg.GPVirtual // the number of elements that do not fill eight lanes
	tail                  reg.Register  // the mask of the rest
}

// block writes the code for a block of rows. The first registers, at most eight, hold the sums as in
// inner; register 8 + r holds the factor of row r. Registers 12 and 13 hold x and y, others hold rows.
func (s dotxaxpyfLoop) block(label string, rows int) {
	few := fewLanes / s.lanes
	sum := func(j, r int) reg.VecPhysical { return s.register(j*rows + r) }
	factor := func(r int) reg.VecPhysical { return s.register(2*dotxaxpyfRows + r) }
	x, y, mask := s.register(3*dotxaxpyfRows), s.register(3*dotxaxpyfRows+1), s.register(s.vecs-1)

	pointers := make([]reg.GPVirtual, rows)
	s.VBROADCASTSD(s.parameter("alpha"), x)
	for r := range rows {
		pointers[r] = s.GP64()
		s.MOVQ(s.a, pointers[r])
		s.LEAQ(operand.Mem{Base: s.a, Index: s.lda, Scale: 8}, s.a)
		s.ADDQ(s.parameter("step"), s.lda)
		for j := range few {
			s.zero(sum(j, r))
		}
		s.VBROADCASTSD(operand.Mem{Base: s.u, Disp: 8 * r}, factor(r))
		s.VMULPD(x, factor(r), factor(r))
	}
	s.ADDQ(operand.Imm(uint64(8*rows)), s.u)

	i := s.GP64()
	at := func(base reg.GPVirtual, k int) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: 8, Disp: 8 * s.lanes * k}
	}
	add := func(k int, elements []reg.VecPhysical, load func(m operand.Mem, v reg.VecPhysical)) {
		load(at(s.x, k), x)
		load(at(s.y, k), y)
		for r := range rows {
			element := elements[r%len(elements)]
			load(at(pointers[r], k), element)
			s.VFMADD231PD(element, x, sum((k+2*few)%few, r))
			s.VFMADD231PD(element, factor(r), y)
		}
	}
	vectors := func(from int) {
		for k := from; k < 0; k++ {
			add(k, s.elements(), func(m operand.Mem, v reg.VecPhysical) { s.VMOVUPD(m, v) })
			s.VMOVUPD(y, at(s.y, k))
		}
	}
	// i is the index of the first remaining element plus the number of elements in an iteration.
	s.MOVQ(operand.U32(2*fewLanes), i)
	s.loop(label+"_pairs", i, 2*fewLanes, s.n, func() { vectors(-2 * few) })
	s.SUBQ(operand.Imm(fewLanes), i)
	s.loop(label+"_eight", i, fewLanes, s.n, func() { vectors(-few) })
	s.SUBQ(operand.Imm(fewLanes), i)
	s.ifZero(s.rest, s.JE, label+"_end")
	for k := range few {
		mask := s.maskAt(s.tail, k, mask)
		add(k, s.elements()[:1], func(m operand.Mem, v reg.VecPhysical) { s.loadMasked(mask, m, v) })
		s.storeTail(fmt.Sprintf("%s_%d", label, k), mask, s.rest, y, at(s.y, k))
		s.SUBQ(operand.Imm(uint64(s.lanes)), s.rest)
	}
	s.ADDQ(operand.Imm(fewLanes), s.rest)
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

// elements returns the registers for elements of rows.
func (s dotxaxpyfLoop) elements() []reg.VecPhysical {
	if s.lanes == 8 {
		return []reg.VecPhysical{s.register(4), s.register(5), s.register(6), s.register(7)}
	}
	return []reg.VecPhysical{s.register(14), s.register(15)}
}

// loop writes a loop that repeats body while i <= n, and adds step to i after each iteration.
func (g *generator) loop(label string, i reg.GPVirtual, step int, n reg.GPVirtual, body func()) {
	g.compare(i, n, g.JG, label+"_done")
	g.Label(label)
	body()
	g.ADDQ(operand.Imm(uint64(step)), i)
	g.compare(i, n, g.JLE, label)
	g.Label(label + "_done")
}
