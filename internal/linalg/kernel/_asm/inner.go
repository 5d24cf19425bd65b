package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The lanes of an inner product: 32 while at least 32 elements are left, then eight. They are 32/lanes
// and 8/lanes vectors of the instruction set. With AVX-512 there are four accumulators, which hide the
// latency of a fused multiply-add (4 cycles). Only one FMA starts in a cycle, because it needs both of
// the loads that the CPU can do in a cycle.
const (
	manyLanes = 32
	fewLanes  = 8
)

// inner writes the loop
//
//	for i := range n { for r := range rows { sum[r] += row(r)[i] * x[i] } }
//
// and leaves eight lanes of row r for sums: in register r and, with AVX2, in register rows + r. As long
// as manyLanes elements are left, each has its own lane. Then the lanes are added in pairs until
// fewLanes are left, which take the remaining elements. The order in a row does not depend on the
// number of rows, so kernels made with inner and sums agree bit for bit. at returns the address of
// vector i of row r, and tail masks the last n%8 elements. The loop overwrites n, x and the pointers.
//
// Vector j of the lanes of row r is register j*rows + r, and the vector of x is register vecs-4. The
// last three registers are not used. If the lanes need more registers, the loop uses all registers and
// runs twice, each time for half of the lanes.
func (g *generator) inner(label string, rows int, n reg.GPVirtual, tail tail, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
	pointers = append(pointers, x)
	many, few := manyLanes/g.lanes, fewLanes/g.lanes
	halves := many*rows > g.vecs-4
	g.zeros(0, few*rows)
	turn := operand.I32(manyLanes)
	g.SUBQ(turn, n)
	g.JL(operand.LabelRef(label + "_few"))
	if halves {
		g.innerHalves(label, rows, n, x, pointers, at)
	} else {
		g.zeros(few*rows, many*rows)
		g.turns(label+"_many", n, pointers, func() { g.products(rows, sequence(many), x, g.register(g.vecs-4), at) })
		for width := many / 2; width >= few; width /= 2 {
			for i := range width * rows {
				g.VADDPD(g.register(i+width*rows), g.register(i), g.register(i))
			}
		}
	}
	g.Label(label + "_few")
	g.ADDQ(turn, n)
	g.innerFew(label, rows, n, tail, x, pointers, at)
}

// turns writes a loop that repeats body, which takes manyLanes elements, as long as n >= 0.
func (g *generator) turns(label string, n reg.GPVirtual, pointers []reg.GPVirtual, body func()) {
	g.Label(label)
	body()
	g.forward(pointers, manyLanes)
	g.SUBQ(operand.I32(manyLanes), n)
	g.JGE(operand.LabelRef(label))
}

// innerHalves writes the loop over manyLanes of inner for AVX2 and at most three rows. The first pass
// sums the even vectors of lanes into vector 0, and the second pass the odd vectors into vector 1. In
// the second pass, register 12 + r holds vector 0 of row r. The last register holds the vector of x.
func (g *generator) innerHalves(label string, rows int, n reg.GPVirtual, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
	all, sum := g.GP64(), func(j, r int) reg.VecPhysical { return g.register(j*rows + r) }
	g.MOVQ(n, all)
	for half, name := range []string{"_even", "_odd"} {
		if half == 1 {
			g.SUBQ(all, n)
			for _, p := range pointers {
				g.LEAQ(operand.Mem{Base: p, Index: n, Scale: 8}, p)
			}
			g.MOVQ(all, n)
		}
		g.zeros(0, 4*rows)
		g.turns(label+name, n, pointers, func() {
			g.products(rows, []int{half, half + 2, half + 4, half + 6}, x, g.register(g.vecs-1), at)
		})
		for r := range rows {
			g.VADDPD(sum(2, r), sum(0, r), sum(0, r))
			g.VADDPD(sum(3, r), sum(1, r), sum(1, r))
			if half == 0 {
				g.VADDPD(sum(1, r), sum(0, r), g.register(12+r))
			} else {
				g.VADDPD(sum(1, r), sum(0, r), sum(1, r))
			}
		}
	}
	for r := range rows {
		g.VMOVAPD(g.register(12+r), sum(0, r))
	}
}

func sequence(n int) (s []int) {
	for i := range n {
		s = append(s, i)
	}
	return s
}

// innerFew is inner for the elements that do not fill the many lanes. The pointers include x.
func (g *generator) innerFew(label string, rows int, n reg.GPVirtual, tail tail, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
	few := fewLanes / g.lanes
	g.while(label+"_eight", n, fewLanes, pointers, func() { g.products(rows, sequence(few), x, g.register(g.vecs-4), at) })
	g.ifZero(n, g.JE, label+"_end")
	u, v, spare := g.register(g.vecs-4), g.register(few*rows), g.register(few*rows+1)
	for j := range few {
		mask := g.maskAt(tail, j, spare)
		g.loadTail(mask, g.at(x, j), u)
		for r := range rows {
			g.loadTail(mask, at(j, r), v)
			g.VFMADD231PD(v, u, g.register(j*rows+r))
		}
	}
	g.Label(label + "_end")
}

// products adds the products of each row and x, for the given vectors of an iteration, to the registers
// from register 0 on. It loads the vectors of x into u.
func (g *generator) products(rows int, vectors []int, x reg.GPVirtual, u reg.VecPhysical, at func(i, r int) operand.Mem) {
	for j, v := range vectors {
		g.VMOVUPD(g.at(x, v), u)
		for r := range rows {
			g.VFMADD231PD(at(v, r), u, g.register(j*rows+r))
		}
	}
}

func (g *generator) zeros(from, to int) {
	for i := from; i < to; i++ {
		g.zero(g.register(i))
	}
}

// A tail is the mask of fewer than fewLanes elements: a mask register with AVX-512, or the address of
// two vectors of masks with AVX2.
type tail struct{ reg.Register }

// tail returns the mask of the n%8 elements that do not fill eight lanes.
func (g *generator) tail(n reg.GPVirtual) tail {
	rest := g.GP64()
	g.MOVQ(n, rest)
	g.ANDQ(operand.Imm(fewLanes-1), rest)
	if g.lanes == fewLanes {
		return tail{g.last(rest)}
	}
	table := g.GP64()
	g.LEAQ(g.onesAndZeros("eights", fewLanes), table)
	g.NEGQ(rest)
	g.LEAQ(operand.Mem{Base: table, Index: rest, Scale: 8, Disp: 8 * fewLanes}, table)
	return tail{table}
}

// maskAt returns vector j of a mask, with AVX2 in the register spare.
func (g *generator) maskAt(t tail, j int, spare reg.Register) reg.Register {
	if g.lanes == fewLanes {
		return t.Register
	}
	g.VMOVUPD(g.at(t.Register, j), spare)
	return spare
}

// last returns the mask of the first n elements of a vector for loadTail: a mask register with AVX-512,
// or the last vector register with AVX2.
func (g *generator) last(n reg.GPVirtual) reg.Register {
	if g.lanes == 8 {
		mask := g.K()
		g.maskOf(n, mask)
		return mask
	}
	count, address, mask := g.GP64(), g.GP64(), g.register(g.vecs-1)
	g.MOVQ(n, count)
	g.maskOf(count, address)
	g.VMOVUPD(operand.Mem{Base: address}, mask)
	return mask
}

// loadTail loads the elements at m that the mask selects into v, and zeros for the others.
func (g *generator) loadTail(mask reg.Register, m operand.Mem, v reg.Register) {
	if g.lanes == 8 {
		g.VMOVUPD_Z(m, mask, v)
	} else {
		g.VMASKMOVPD(m, mask, v)
	}
}

// An anyVector is a virtual or physical vector register.
type anyVector interface {
	reg.Vec
	operand.Op
}

// storeTail stores the first n elements of v at m: none if n < 1, and at most all. mask selects them.
func (g *generator) storeTail(label string, mask reg.Register, n reg.GPVirtual, v anyVector, m operand.Mem) {
	if g.lanes == 8 {
		g.VMOVUPD(v, mask, m)
		return
	}
	second := m
	second.Disp += 16
	stored := operand.LabelRef(label + "_stored")
	g.compare(n, operand.Imm(2), g.JLT, label+"_few")
	g.JEQ(operand.LabelRef(label + "_pair"))
	g.compare(n, operand.Imm(4), g.JGE, label+"_four")
	g.VMOVUPD(v.AsX(), m)
	g.VEXTRACTF128(operand.Imm(1), v, v.AsX())
	g.VMOVSD(v.AsX(), second)
	g.JMP(stored)
	g.Label(label + "_four")
	g.VMOVUPD(v, m)
	g.JMP(stored)
	g.Label(label + "_pair")
	g.VMOVUPD(v.AsX(), m)
	g.JMP(stored)
	g.Label(label + "_few")
	g.compare(n, operand.Imm(1), g.JLT, label+"_stored")
	g.VMOVSD(v.AsX(), m)
	g.Label(label + "_stored")
}

// sums adds up the eight lanes of each row as inner leaves them, for at most four rows. It returns a
// register whose first elements are the totals. The last four lanes are added to the first four; the
// results p, q, r, s give the total (p+q) + (r+s).
func (g *generator) sums(rows int) reg.VecPhysical {
	for r := range rows {
		second := ymm(rows + r)
		if g.lanes == 8 {
			second = ymm(8 + r)
			g.VEXTRACTF64X4(operand.Imm(1), zmm(r), second)
		}
		g.VADDPD(second, ymm(r), ymm(r))
	}
	total, pair, high := ymm(4), ymm(5), ymm(6)
	g.VHADDPD(ymm(min(1, rows-1)), ymm(0), total)
	if rows <= 2 {
		g.VEXTRACTF128(operand.Imm(1), total, high.AsX())
		g.VADDPD(high.AsX(), total.AsX(), total.AsX())
		return total
	}
	g.VHADDPD(ymm(rows-1), ymm(2), pair)
	g.VPERM2F128(operand.Imm(0x31), pair, total, high)
	g.VINSERTF128(operand.Imm(1), pair.AsX(), total, total)
	g.VADDPD(high, total, total)
	return total
}
