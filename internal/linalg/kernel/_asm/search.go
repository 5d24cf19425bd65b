package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// search writes the kernels of a search for a pivot: absMax finds the element of largest magnitude, and
// addAbs adds the magnitudes of a row to the sums of columns. The kernel avx512 takes addAbs from avx2,
// like axpy, because stores limit it.
func search(g *generator) {
	absMax(g)
	if g.lanes == 4 {
		addAbs(g)
	}
}

// block is the number of elements that absMax takes at a time. A larger block compares maxima less
// often, but at the end one block is compared again. With AVX2 a block takes half of the registers.
const block = 32

// Predicates of VCMPPD, both false for NaN.
const (
	orderedEqual   = 0x00
	orderedGreater = 0x1e
)

type searcher struct {
	*generator
	n, x      reg.GPVirtual
	magnitude vector   // all bits but the sign
	v         []vector // the magnitudes of one block
}

// absMax writes Kernel.AbsMax. Keeping an index for each element would double the cost of the maximum.
// Each lane keeps its largest magnitude and the start of the first block with it. Among the lanes with
// the overall maximum, the earliest block is the first with the maximum, and comparing this block again
// finds the index. The last block ends with the vector and overlaps the block before. If the last block
// is the first with the maximum, the maximum is outside the overlap. A vector of at most one block is
// loaded under masks.
//
// VMAXPD(a, b, c) sets c to a if a or b is NaN. Thus an element b never turns a maximum a into NaN.
func absMax(g *generator) {
	g.function("AbsMax")
	s := &searcher{generator: g, n: g.argument("n"), x: g.argument("x"), magnitude: g.vec(), v: g.fresh(block / g.lanes)}
	g.VBROADCASTSD(g.ConstData("magnitude", operand.U64(1<<63-1)), s.magnitude)
	first, maximum := g.GP64(), g.vec() // the beginning of the block in s.v; the maximum, in all lanes
	g.XORQ(first, first)
	g.compare(s.n, operand.Imm(block), g.JG, "many")
	s.loadFirst()
	g.VMOVAPD(s.maximum(), maximum)
	s.spread(maximum)
	g.JMP(operand.LabelRef("place"))
	g.Label("many")
	s.blocks(first, maximum)
	s.loadBlock(first)
	g.Label("place")
	s.place(first, maximum)
	g.ret()
}

// loadFirst sets s.v to the magnitudes of an x of at most one block, followed by zeros.
func (s *searcher) loadFirst() {
	if s.lanes == 8 {
		bits := s.GP64()
		s.MOVQ(operand.I32(-1), bits)
		s.BZHIQ(s.n, bits, bits)
		for i, v := range s.v {
			mask := s.K()
			s.KMOVW(bits.As32(), mask)
			s.SHRQ(operand.Imm(8), bits)
			s.VANDPD_Z(s.at(s.x, i), s.magnitude, mask, v)
		}
		return
	}
	mask := s.newMask()
	s.maskOf(s.n, mask)
	for i, v := range s.v {
		s.loadMasked(s.maskAt(mask, i, s.vec()), s.at(s.x, i), v)
		s.VANDPD(s.magnitude, v, v)
	}
}

// loadBlock sets s.v to the magnitudes of the block of x that begins at the index first.
func (s *searcher) loadBlock(first reg.GPVirtual) {
	for i, v := range s.v {
		m := s.at(s.x, i)
		m.Index, m.Scale = first, 8
		s.VANDPD(m, s.magnitude, v)
	}
}

// maximum returns the maximum of each lane of s.v. It computes the maxima in two chains from zero on.
func (s *searcher) maximum() vector {
	zero, maximum := s.vec(), s.fresh(2)
	s.zero(zero)
	for i, v := range s.v {
		if i < 2 {
			s.VMAXPD(zero, v, maximum[i])
		} else {
			s.VMAXPD(maximum[i%2], v, maximum[i%2])
		}
	}
	s.VMAXPD(maximum[0], maximum[1], maximum[0])
	return maximum[0]
}

// spread sets all lanes of m to their maximum.
func (s *searcher) spread(m vector) {
	other := s.vec()
	if s.lanes == 8 {
		s.VSHUFF64X2(operand.Imm(0x4e), m, m, other)
		s.VMAXPD(other, m, m)
		s.VSHUFF64X2(operand.Imm(0xb1), m, m, other)
	} else {
		s.VPERM2F128(operand.Imm(1), m, m, other)
	}
	s.VMAXPD(other, m, m)
	s.VPERMILPD(operand.Imm(0x55), m, other)
	s.VMAXPD(other, m, m)
}

// blocks writes the loop over an x of more than one block. The loop sets maximum, and sets first, which
// is 0 before, to the beginning of the first block that has the maximum.
func (s *searcher) blocks(first reg.GPVirtual, maximum vector) {
	last, i := s.GP64(), s.GP64()
	s.LEAQ(operand.Mem{Base: s.n, Disp: -block}, last)
	s.MOVQ(first, i)
	best, where := s.vec(), s.vec()
	s.zero(best, where)
	s.Label("block")
	s.loadBlock(i)
	here := s.maximum()
	if s.lanes == 8 {
		larger := s.K()
		s.VCMPPD(operand.Imm(orderedGreater), best, here, larger)
		s.VPBROADCASTQ(i, larger, where)
	} else {
		larger, index := s.vec(), s.vec()
		s.VCMPPD(operand.Imm(orderedGreater), best, here, larger)
		s.VMOVQ(i, index.AsX())
		s.VPBROADCASTQ(index.AsX(), index)
		s.VBLENDVPD(larger, index, where, where)
	}
	s.VMAXPD(best, here, best)
	s.compare(i, last, s.JE, "through")
	s.ADDQ(operand.Imm(block), i)
	s.CMPQ(i, last)
	s.CMOVQGT(last, i)
	s.JMP(operand.LabelRef("block"))

	s.Label("through")
	local := s.AllocLocal(8 * s.lanes)
	s.VMOVUPD(where, local)
	s.VMOVAPD(best, maximum)
	s.spread(maximum)
	lanes := s.lanesEqual(best, maximum)
	s.MOVQ(last, first)
	s.Label("lane")
	lane, begin, less := s.GP64(), s.GP64(), s.GP64()
	s.BSFQ(lanes, lane)
	s.MOVQ(local.Idx(lane, 8), begin)
	s.CMPQ(begin, first)
	s.CMOVQLT(begin, first)
	s.LEAQ(operand.Mem{Base: lanes, Disp: -1}, less)
	s.ANDQ(less, lanes) // without this lane
	s.JNE(operand.LabelRef("lane"))
}

// lanesEqual returns the lanes in which a and b are equal, as bits.
func (s *searcher) lanesEqual(a, b vector) reg.GPVirtual {
	bits := s.GP64()
	if s.lanes == 8 {
		mask := s.K()
		s.VCMPPD(operand.Imm(orderedEqual), a, b, mask)
		s.KMOVB(mask, bits.As32())
		return bits
	}
	mask := s.vec()
	s.VCMPPD(operand.Imm(orderedEqual), a, b, mask)
	s.VMOVMSKPD(mask, bits.As32())
	return bits
}

// place writes the end of AbsMax, which returns maximum and the index of the first element equal to it.
// s.v begins at the index first. If the maximum is zero, the index is zero, even if x begins with NaN.
func (s *searcher) place(first reg.GPVirtual, maximum vector) {
	bits := make([]reg.GPVirtual, len(s.v))
	for i, v := range s.v {
		bits[i] = s.lanesEqual(v, maximum)
	}
	for width := s.lanes; len(bits) > 1; width *= 2 {
		for i := 0; i < len(bits); i += 2 {
			s.SHLQ(operand.Imm(uint64(width)), bits[i+1])
			s.ORQ(bits[i+1], bits[i])
			bits[i/2] = bits[i]
		}
		bits = bits[:len(bits)/2]
	}
	size, none := s.GP64(), s.GP64()
	s.BSFQ(bits[0], bits[0])
	s.ADDQ(bits[0], first)
	s.VMOVQ(maximum.AsX(), size)
	s.XORQ(none, none)
	s.TESTQ(size, size)
	s.CMOVQEQ(none, first)
	s.Store(first, s.ReturnIndex(0))
	s.Store(maximum.AsX(), s.ReturnIndex(1))
}

// addAbs writes Kernel.AddAbs with one sum for each vector of an iteration. The first sum also takes
// the vectors after the iterations. The sum rest takes the elements that do not fill a vector.
func addAbs(g *generator) {
	g.function("AddAbs")
	magnitude, rest := g.register(g.vecs-1), g.register(g.vecs-2)
	g.VBROADCASTSD(g.ConstData("magnitudeSum", operand.U64(1<<63-1)), magnitude)
	for i := range unroll {
		g.zero(g.register(i))
	}
	g.zero(rest)
	v, w := g.register(g.vecs-3), g.register(g.vecs-4)
	n, x, y := g.argument("n"), g.argument("x"), g.argument("y")
	g.parts("addAbs", unroll, n, g.edge(n), []reg.GPVirtual{x, y}, func(p part, count int) {
		for i := range count {
			sum := g.register(i)
			if p.width < g.lanes {
				sum = rest
			}
			p.load(g.at(x, i), v)
			p.and(magnitude, v)
			p.load(g.at(y, i), w)
			p.add(v, w)
			p.store(w, g.at(y, i))
			p.add(v, sum)
		}
	})
	for width := unroll / 2; width > 0; width /= 2 {
		for i := range width {
			g.VADDPD(g.register(i+width), g.register(i), g.register(i))
		}
	}
	g.VMOVAPD(rest, g.register(1)) // sums adds it first
	g.Store(g.sums(1).AsX(), g.ReturnIndex(0))
	g.ret()
}

// add adds t to v. The elements of a register beyond the part become zero.
func (p part) add(t, v reg.Vec) { p.VADDPD(p.of(t), p.of(v), p.of(v)) }
