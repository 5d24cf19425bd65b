package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is the number of vector accumulators of one inner product: the latency of a fused multiply-add
// (4 cycles) times the number that begin in a cycle (1, if both factors come from memory at two loads
// a cycle).
const chains = 4

// inner writes the loop
//
//	for i := range n { for r := range rows { sum[r] += row(r)[i] * x[i] } }
//
// and leaves the sum of row r in the elements of register r, for sums. As long as chains vectors are
// left, each has its own accumulator; then these are added in pairs, and the first takes the other
// vectors. The order in a row does not depend on the number of rows, so kernels made with inner and
// sums agree bit for bit. at gives the place of vector i of row r. The loop overwrites n, x and the
// pointers.
//
// Accumulator j of row r is register j*rows + r, the vector of x is register vecs-4; the last three are
// not used.
func (g *generator) inner(label string, rows int, n reg.GPVirtual, tail reg.Register, x reg.GPVirtual, pointers []reg.GPVirtual, at func(i, r int) operand.Mem) {
	pointers = append(pointers, x)
	sum := func(j, r int) reg.VecPhysical { return g.register(j*rows + r) }
	u, v := g.register(g.vecs-4), g.register(8) // v: when sum(1, r) and later ones are done
	for r := range rows {
		g.zero(sum(0, r))
	}
	turn := operand.I32(chains * g.lanes)
	g.SUBQ(turn, n)
	g.JL(operand.LabelRef(label + "_few"))
	for i := rows; i < chains*rows; i++ {
		g.zero(g.register(i))
	}
	g.Label(label + "_chains")
	for j := range chains {
		g.VMOVUPD(g.at(x, j), u)
		for r := range rows {
			g.VFMADD231PD(at(j, r), u, sum(j, r))
		}
	}
	g.forward(pointers, chains*g.lanes)
	g.SUBQ(turn, n)
	g.JGE(operand.LabelRef(label + "_chains"))
	for width := chains / 2; width > 0; width /= 2 {
		for i := range width * rows {
			g.VADDPD(g.register(i+width*rows), g.register(i), g.register(i))
		}
	}
	g.Label(label + "_few")
	g.ADDQ(turn, n)

	g.while(label+"_vector", n, g.lanes, pointers, func() {
		g.VMOVUPD(g.at(x, 0), u)
		for r := range rows {
			g.VFMADD231PD(at(0, r), u, sum(0, r))
		}
	})
	g.ifZero(n, g.JE, label+"_end")
	g.loadTail(tail, g.at(x, 0), u)
	for r := range rows {
		g.loadTail(tail, at(0, r), v)
		g.VFMADD231PD(v, u, sum(0, r))
	}
	g.Label(label + "_end")
}

// tail makes the mask with which loadTail loads the elements of n that do not fill a vector.
func (g *generator) tail(n reg.GPVirtual) reg.Register {
	rest := g.GP64()
	g.MOVQ(n, rest)
	g.ANDQ(operand.Imm(uint64(g.lanes-1)), rest)
	return g.last(rest)
}

// last makes the mask for the first n elements of a vector, as loadTail takes it: a mask register with
// AVX-512, the last vector register with AVX2.
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

// loadTail loads the elements at m that the mask selects, and zeros.
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

// storeTail stores the first n elements of v, those of the mask, at m.
func (g *generator) storeTail(label string, mask reg.Register, n reg.GPVirtual, v anyVector, m operand.Mem) {
	if g.lanes == 8 {
		g.VMOVUPD(v, mask, m)
		return
	}
	second := m
	second.Disp += 16
	stored := operand.LabelRef(label + "_stored")
	g.compare(n, operand.Imm(2), g.JLT, label+"_single")
	g.JEQ(operand.LabelRef(label + "_pair"))
	g.compare(n, operand.Imm(4), g.JEQ, label+"_four")
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
	g.Label(label + "_single")
	g.VMOVSD(v.AsX(), m)
	g.Label(label + "_stored")
}

// sums adds up the elements of each of registers 0 to rows-1, at most four, and returns a register with
// the totals as its first elements. A vector of eight is folded to four elements p, q, r, s, whose
// total is (p+q) + (r+s).
func (g *generator) sums(rows int) reg.VecPhysical {
	if g.lanes == 8 {
		for r := range rows {
			g.VEXTRACTF64X4(operand.Imm(1), zmm(r), ymm(8+r))
			g.VADDPD(ymm(8+r), ymm(r), ymm(r))
		}
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
