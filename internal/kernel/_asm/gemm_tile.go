package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tileCode writes the code of one tile of C.
type tileCode struct {
	*generator
	gemmArguments
	tile
	name string // of labels
}

// acc is the accumulator of vector v of row r, vector the register of vector v of B or of alpha, and
// free the number of the first free register.
func (t tileCode) acc(r, v int) reg.VecPhysical { return t.register(r*t.vectors + v) }

func (t tileCode) vector(v int) reg.VecPhysical { return t.register(t.rows*t.vectors + v) }

func (t tileCode) free() int { return t.rows*t.vectors + t.vectors }

// tile writes the computation of one tile of C: the sum in registers, then its way to C.
func (g *generator) tile(x gemmArguments, shape tile) {
	t := tileCode{g, x, shape, fmt.Sprintf("r%dv%d", shape.rows, shape.vectors)}
	if t.masked {
		t.name += "m"
	}
	t.sum()
	t.storeSum()
}

// begin sets the accumulators to zero, or to alpha·C if store is Continue: that code stands behind the
// function, where it costs the others no jump.
func (t tileCode) begin() {
	t.CMPB(t.parameter("store"), operand.Imm(storeContinue))
	t.JEQ(operand.LabelRef(t.name + "continue"))
	for r := range t.rows {
		for v := range t.vectors {
			t.zero(t.acc(r, v))
		}
	}
	t.Label(t.name + "sum")
	t.later = append(t.later, func() {
		t.Label(t.name + "continue")
		c, alpha := t.rowsOfC(), t.vector(0)
		t.VBROADCASTSD(t.parameter("alpha"), alpha)
		for r := range t.rows {
			for v := range t.vectors {
				m := c.row(r, v*8*t.lanes)
				if t.masked && v == t.vectors-1 {
					t.load(t.gemmArguments, t.tile, m, v, t.acc(r, v))
					t.VMULPD(alpha, t.acc(r, v), t.acc(r, v))
				} else {
					t.VMULPD(m, alpha, t.acc(r, v))
				}
			}
		}
		t.JMP(operand.LabelRef(t.name + "sum"))
	})
}

// rowsOfC makes the pointers to the rows of the tile.
func (t tileCode) rowsOfC() stack {
	first, ldc := t.GP64(), t.GP64()
	t.MOVQ(t.c, first)
	t.MOVQ(t.ldc, ldc)
	return t.stack(first, ldc, t.rows)
}

// sum writes the loop over k.
func (t tileCode) sum() {
	t.begin()
	k, late := t.argument("k"), reg.GPVirtual(nil)
	if t.tile == largest(t.isa) {
		late = t.prefetch(t.gemmArguments, k)
	}
	a := t.rowsOfA(t.gemmArguments, t.rows)
	b := t.GP64()
	t.MOVQ(t.b, b)
	step := func() { t.step(a, b) }
	t.SUBQ(operand.Imm(steps), k)
	t.JLT(operand.LabelRef(t.name + "rest"))
	t.Label(t.name + "loop")
	for range steps {
		step()
	}
	t.SUBQ(operand.Imm(steps), k)
	t.JGE(operand.LabelRef(t.name + "loop"))
	t.Label(t.name + "rest")
	if late != nil {
		t.ifZero(late, t.JEQ, t.name+"last")
		t.prefetchC(t.gemmArguments, t.tile)
		t.LEAQ(operand.Mem{Base: late, Disp: -steps}, k)
		t.XORQ(late, late)
		t.JMP(operand.LabelRef(t.name + "loop"))
		t.Label(t.name + "last")
	}
	t.ADDQ(operand.Imm(steps), k)
	t.JEQ(operand.LabelRef(t.name + "store"))
	t.Label(t.name + "one")
	step()
	t.DECQ(k)
	t.JNE(operand.LabelRef(t.name + "one"))
}

// step writes one rank-1 update of the tile.
func (t tileCode) step(a rowsOfA, b reg.GPVirtual) {
	for v := range t.vectors {
		t.load(t.gemmArguments, t.tile, t.at(b, v), v, t.vector(v))
	}
	if t.tile == largest(t.isa) {
		// One request for each cache line, by its end: the tile to the left has read the
		// beginning of a line that a row shares with it.
		for end := 64; end <= 8*t.lanes*t.vectors; end += 64 {
			t.PREFETCHT0(operand.Mem{Base: b, Index: t.rowB, Scale: 8, Disp: end - 8})
		}
	}
	t.ADDQ(t.rowB, b)
	for r := range t.rows {
		if t.lanes == 8 && t.vectors == 1 {
			// A broadcast from memory has twice the throughput on Zen 4.
			t.VFMADD231PD_BCST(a.row(r), t.vector(0), t.acc(r, 0))
			continue
		}
		element := t.register(t.free() + r%(t.vecs-t.free()))
		t.VBROADCASTSD(a.row(r), element)
		for v := range t.vectors {
			t.VFMADD231PD(t.vector(v), element, t.acc(r, v))
		}
	}
	t.ADDQ(a.col, a.offset)
	t.SUBQ(t.closerCol, a.col)
}

// storeSum writes what each mode does with the sum.
func (t tileCode) storeSum() {
	t.Label(t.name + "store")
	c, alpha, old := t.rowsOfC(), t.vector(0), t.register(t.free())
	t.compare(t.mode, operand.Imm(modeProduct), t.JEQ, t.name+"product")
	t.VBROADCASTSD(t.parameter("alpha"), alpha)
	t.JLT(operand.LabelRef(t.name + "scaled"))
	if t.rows > leastPacked {
		t.compare(t.mode, operand.Imm(modePacked), t.JEQ, t.name+"packed")
	}
	t.addSum(c, alpha, old, equal)
	if t.rows > leastPacked {
		t.Label(t.name + "packed")
		t.addSum(c, alpha, old, packed)
	}
	t.Label(t.name + "scaled")
	for r := range t.rows {
		for v := range t.vectors {
			t.VMULPD(alpha, t.acc(r, v), t.acc(r, v))
		}
	}
	t.Label(t.name + "product")
	for r := range t.rows {
		for v := range t.vectors {
			t.store(t.gemmArguments, t.tile, t.acc(r, v), v, c.row(r, v*8*t.lanes), old)
		}
	}
	t.Label(t.name + "end")
}

// addSum writes C = alpha*sum + C for rows that begin shorter(r) elements before r*ldc.
func (t tileCode) addSum(c stack, alpha, old reg.VecPhysical, shorter func(r int) int) {
	for r := range t.rows {
		for v := range t.vectors {
			m := c.row(r, v*8*t.lanes-8*shorter(r))
			if t.masked && v == t.vectors-1 {
				t.load(t.gemmArguments, t.tile, m, v, old)
				t.VFMADD213PD(old, alpha, t.acc(r, v))
			} else {
				t.VFMADD213PD(m, alpha, t.acc(r, v))
			}
			t.store(t.gemmArguments, t.tile, t.acc(r, v), v, m, old)
		}
	}
	t.JMP(operand.LabelRef(t.name + "end"))
}

// equal and packed return the number of elements by which row r of C begins before r·ldc: equally
// distant rows, and packed storage. Tiles of at most leastPacked rows are the same in both.
func equal(int) int { return 0 }

func packed(r int) int { return r * (r - 1) / 2 }

const leastPacked = 2
