package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// load loads vector v of a row from m to dst, masked if it is the last vector of a masked tile.
func (t tileCode) load(m operand.Mem, v int, dst reg.Register) {
	if !t.masked || v < t.vectors-1 {
		t.VMOVUPD(m, dst)
	} else { // with AVX2 dst first holds the mask, for lack of a register
		t.loadMasked(t.maskAt(t.mask, 0, dst), m, dst)
	}
}

// store stores src to m as vector v of a row, masked as in load. It may overwrite spare.
func (t tileCode) store(src reg.Register, v int, m operand.Mem, spare reg.Register) {
	if !t.masked || v < t.vectors-1 {
		t.VMOVUPD(src, m)
	} else {
		t.storeMasked(t.maskAt(t.mask, 0, spare), src, m)
	}
}

// A stack addresses rows that are stride bytes apart. It needs pointers to only every third row,
// because an address can add the stride once or twice.
type stack struct {
	pointers []reg.GPVirtual
	stride   reg.GPVirtual
}

// stack returns a stack of n rows. first points to the first row.
func (g *generator) stack(first, stride reg.GPVirtual, n int) stack {
	s := stack{[]reg.GPVirtual{first}, stride}
	for len(s.pointers)*3 < n {
		p, last := g.GP64(), s.pointers[len(s.pointers)-1]
		g.LEAQ(operand.Mem{Base: last, Index: stride, Scale: 2}, p)
		g.ADDQ(stride, p)
		s.pointers = append(s.pointers, p)
	}
	return s
}

// row returns the address disp bytes after the beginning of row r.
func (s stack) row(r, disp int) operand.Mem {
	m := operand.Mem{Base: s.pointers[r/3], Disp: disp}
	if r%3 > 0 {
		m.Index, m.Scale = s.stride, uint8(r%3)
	}
	return m
}

// rowsOfA holds a pointer to each row of A in a tile, and the offset of a step, which grows by col.
type rowsOfA struct {
	pointers    []reg.GPVirtual
	offset, col reg.GPVirtual
}

// rowsOfA returns the pointers to the first n rows of A, with the offset of the first step.
func (g *generator) rowsOfA(n int) rowsOfA {
	a := rowsOfA{[]reg.GPVirtual{g.argument("a")}, g.GP64(), g.bytes("colA")}
	distance := g.bytes("rowA")
	for r := 1; r < n; r++ {
		p := g.GP64()
		g.LEAQ(operand.Mem{Base: a.pointers[r-1], Index: distance, Scale: 1}, p)
		a.pointers = append(a.pointers, p)
	}
	g.XORQ(a.offset, a.offset)
	return a
}

func (a rowsOfA) row(r int) operand.Mem {
	return operand.Mem{Base: a.pointers[r], Index: a.offset, Scale: 1}
}
