package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// newMask returns a register for a mask, which selects the first elements of a row: with AVX-512 a mask
// register, for one vector; with AVX2 the address of vectors of masks.
func (g *generator) newMask() reg.Register {
	if g.lanes == 8 {
		return g.K()
	}
	return g.GP64()
}

// maskOf sets mask to the first n elements. With AVX-512 n is at most the lanes of a vector. With AVX2
// n is at most maxMasked and is overwritten.
func (g *generator) maskOf(n reg.GPVirtual, mask reg.Register) {
	if g.lanes == 8 {
		ones := g.GP64()
		g.MOVQ(operand.I32(-1), ones)
		g.BZHIQ(n, ones, ones)
		g.KMOVW(ones.As32(), mask)
		return
	}
	if g.masks.Symbol.Name == "" {
		g.masks = g.StaticGlobal("masks")
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 2 * maxMasked {
			v := operand.U64(0)
			if i < maxMasked {
				v = ^v
			}
			g.AddDatum(8*i, v)
		}
	}
	g.LEAQ(g.masks, mask)
	g.NEGQ(n)
	g.LEAQ(operand.Mem{Base: mask, Index: n, Scale: 8, Disp: 8 * maxMasked}, mask)
}

// maxMasked is the number of elements with all bits set in the table of masks, and of zeros after them.
const maxMasked = block

// maskAt returns vector j of a mask, with AVX2 in the register spare.
func (g *generator) maskAt(mask reg.Register, j int, spare reg.Register) reg.Register {
	if g.lanes == 8 {
		return mask
	}
	g.VMOVUPD(g.at(mask, j), spare)
	return spare
}

// tail returns the mask of the n%8 elements that do not fill eight lanes.
func (g *generator) tail(n reg.GPVirtual) reg.Register {
	rest, mask := g.GP64(), g.newMask()
	g.MOVQ(n, rest)
	g.ANDQ(operand.Imm(fewLanes-1), rest)
	g.maskOf(rest, mask)
	return mask
}

// edge returns the mask of the last n%8 elements, which do not fill a vector. With AVX2 it returns nil.
func (g *generator) edge(n reg.GPVirtual) reg.Register {
	if g.lanes == 4 {
		return nil
	}
	return g.tail(n)
}

// last returns vector 0 of the mask of the first n elements, with AVX2 in the last vector register.
func (g *generator) last(n reg.GPVirtual) reg.Register {
	count, mask := g.GP64(), g.newMask()
	g.MOVQ(n, count)
	g.maskOf(count, mask)
	return g.maskAt(mask, 0, g.register(g.vecs-1))
}

// loadMasked loads into v the elements at m that mask selects, and zeros for the others. mask is a
// result of maskAt.
func (g *generator) loadMasked(mask reg.Register, m operand.Mem, v reg.Register) {
	if g.lanes == 8 {
		g.VMOVUPD_Z(m, mask, v)
	} else {
		g.VMASKMOVPD(m, mask, v)
	}
}

// storeMasked stores the elements of v that the mask selects at m.
func (g *generator) storeMasked(mask reg.Register, v operand.Op, m operand.Mem) {
	if g.lanes == 8 {
		g.VMOVUPD(v, mask, m)
	} else {
		g.VMASKMOVPD(v, mask, m)
	}
}

// An anyVector is a virtual or physical vector register.
type anyVector interface {
	reg.Vec
	operand.Op
}

// storeTail is storeMasked for the first n elements: none if n < 1, and all if n exceeds the length
// of the vector. It avoids AVX2's masked stores, which AMD microcodes.
func (g *generator) storeTail(label string, mask reg.Register, n reg.GPVirtual, v anyVector, m operand.Mem) {
	if g.lanes == 8 {
		g.storeMasked(mask, v, m)
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
