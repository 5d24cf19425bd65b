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
func (g *generator) inner(label string, rows int, n reg.GPVirtual, tail reg.Register, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
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
		g.repeat(label+"_many", n, manyLanes, pointers, func() { g.products(rows, sequence(many), x, g.register(g.vecs-4), at) })
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
		g.repeat(label+name, n, manyLanes, pointers, func() {
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
func (g *generator) innerFew(label string, rows int, n reg.GPVirtual, tail reg.Register, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
	few := fewLanes / g.lanes
	g.while(label+"_eight", n, fewLanes, pointers, func() { g.products(rows, sequence(few), x, g.register(g.vecs-4), at) })
	g.ifZero(n, g.JE, label+"_end")
	u, v, spare := g.register(g.vecs-4), g.register(few*rows), g.register(few*rows+1)
	for j := range few {
		mask := g.maskAt(tail, j, spare)
		g.loadMasked(mask, g.at(x, j), u)
		for r := range rows {
			g.loadMasked(mask, at(j, r), v)
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
