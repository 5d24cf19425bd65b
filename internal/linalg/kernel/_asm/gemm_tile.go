package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// A tileCode is one tile of the result of Gemm, Solve or Multiply, whose rows are in registers.
type tileCode struct {
	*generator
	gemmArguments
	tile
	name string // of labels
}

// acc returns the accumulator of vector v of row r, and vector the register of vector v of B or of
// alpha. free returns the number of the first free register.
func (t tileCode) acc(r, v int) reg.VecPhysical { return t.register(r*t.vectors + v) }

func (t tileCode) vector(v int) reg.VecPhysical { return t.register(t.rows*t.vectors + v) }

func (t tileCode) free() int { return t.rows*t.vectors + t.vectors }

func (t tileCode) eachAcc(f func(r, v int)) {
	for r := range t.rows {
		for v := range t.vectors {
			f(r, v)
		}
	}
}

// clear sets the accumulators to zero, or to alpha·C if store is Continue. The code for Continue comes
// after the function's RET, so that the other cases need no jump around it.
func (t tileCode) clear() {
	t.CMPB(t.parameter("store"), operand.Imm(spec.StoreContinue))
	t.JEQ(operand.LabelRef(t.name + "continue"))
	t.eachAcc(func(r, v int) { t.zero(t.acc(r, v)) })
	t.Label(t.name + "sum")
	t.later = append(t.later, func() {
		t.Label(t.name + "continue")
		c, alpha := t.rowsOfC(), t.vector(0)
		t.VBROADCASTSD(t.parameter("alpha"), alpha)
		t.eachAcc(func(r, v int) {
			m := c.row(r, v*8*t.lanes)
			if t.masked && v == t.vectors-1 {
				t.load(m, v, t.acc(r, v))
				t.VMULPD(alpha, t.acc(r, v), t.acc(r, v))
			} else {
				t.VMULPD(m, alpha, t.acc(r, v))
			}
		})
		t.JMP(operand.LabelRef(t.name + "sum"))
	})
}

// rowsOfC returns pointers to the rows of C in the tile.
func (t tileCode) rowsOfC() stack {
	first, ldc := t.GP64(), t.GP64()
	t.MOVQ(t.c, first)
	t.MOVQ(t.ldc, ldc)
	return t.stack(first, ldc, t.rows)
}

// sum writes the loop over k for any strides and, if the tile is full, one for packed micro-panels.
func (t tileCode) sum() {
	t.clear()
	full := t.tile == largest(t.isa)
	if full {
		t.prefetchC()
	}
	k, b := t.argument("k"), t.GP64()
	t.MOVQ(t.b, b)
	if full {
		t.compare(t.panels, operand.Imm(0), t.JEQ, t.name+"strided")
		a := t.argument("a")
		t.eachStep(t.name+"packed", k, func(i int) { t.packedStep(a, b, i) }, func(count int) {
			t.ADDQ(operand.I32(int32(8*count*t.rows)), a)
			t.ADDQ(operand.I32(int32(8*count*t.vectors*t.lanes)), b)
		})
		t.JMP(operand.LabelRef(t.name + "store"))
		t.Label(t.name + "strided")
	}
	rowB := t.bytes("rowB")
	a := t.rowsOfA(t.rows)
	t.eachStep(t.name, k, func(int) { t.stridedStep(a, b, rowB) }, func(int) {})
}

// eachStep writes a loop over k steps, several per iteration, at whose end the code falls through or
// jumps to "store". step writes step i of an iteration; next advances the pointers by count steps.
func (t tileCode) eachStep(label string, k reg.GPVirtual, step func(i int), next func(count int)) {
	t.SUBQ(operand.Imm(steps), k)
	t.JLT(operand.LabelRef(label + "rest"))
	t.Label(label + "loop")
	for i := range steps {
		step(i)
	}
	next(steps)
	t.SUBQ(operand.Imm(steps), k)
	t.JGE(operand.LabelRef(label + "loop"))
	t.Label(label + "rest")
	t.ADDQ(operand.Imm(steps), k)
	t.JEQ(operand.LabelRef(t.name + "store"))
	t.Label(label + "one")
	step(0)
	next(1)
	t.DECQ(k)
	t.JNE(operand.LabelRef(label + "one"))
}

// packedStep writes rank-1 update i of the packed micro-panels at a (in L1) and b (from L2).
func (t tileCode) packedStep(a, b reg.GPVirtual, i int) {
	row := 8 * t.lanes * t.vectors // of B, in bytes
	for v := range t.vectors {
		t.VMOVUPD(operand.Mem{Base: b, Disp: i*row + 8*t.lanes*v}, t.vector(v))
	}
	for line := 0; line < row; line += 64 {
		t.PREFETCHT0(operand.Mem{Base: b, Disp: i*row + prefetchB + line})
	}
	t.update(func(r int) operand.Mem { return operand.Mem{Base: a, Disp: 8 * (i*t.rows + r)} })
}

// prefetchB is the distance in bytes from a row of a packed B to the data that its step prefetches.
const prefetchB = 512

// stridedStep writes one rank-1 update of the tile, for any strides.
func (t tileCode) stridedStep(a rowsOfA, b, rowB reg.GPVirtual) {
	for v := range t.vectors {
		t.load(t.at(b, v), v, t.vector(v))
	}
	if t.tile == largest(t.isa) {
		// For each 64 bytes of the row of B eight rows ahead, prefetch the line of their end.
		// If a row begins in the middle of a line, the tile to the left has read that line.
		for end := 64; end <= 8*t.lanes*t.vectors; end += 64 {
			t.PREFETCHT0(operand.Mem{Base: b, Index: rowB, Scale: 8, Disp: end - 8})
		}
	}
	t.ADDQ(rowB, b)
	t.update(a.row)
	t.ADDQ(a.col, a.offset)
}

// update adds the products of the elements a(r) of A and the vectors of B to the accumulators.
func (t tileCode) update(a func(r int) operand.Mem) {
	for r := range t.rows {
		if t.lanes == 8 && t.vectors == 1 {
			// An embedded broadcast has twice the throughput on Zen 4.
			t.VFMADD231PD_BCST(a(r), t.vector(0), t.acc(r, 0))
			continue
		}
		element := t.register(t.free() + r%(t.vecs-t.free()))
		t.VBROADCASTSD(a(r), element)
		for v := range t.vectors {
			t.VFMADD231PD(t.vector(v), element, t.acc(r, v))
		}
	}
}

func (t tileCode) prefetchC() {
	id, c := t.unique(), t.GP64()
	request := func(shorter func(r int) int) {
		t.MOVQ(t.c, c)
		for r := range t.rows {
			for v := range t.vectors {
				t.PREFETCHT0(operand.Mem{Base: c, Disp: v*8*t.lanes - 8*shorter(r)})
			}
			t.ADDQ(t.ldc, c)
		}
	}
	t.compare(t.mode, operand.Imm(modePacked), t.JEQ, "requestPacked"+id)
	request(equal)
	t.JMP(operand.LabelRef("requested" + id))
	t.Label("requestPacked" + id)
	request(packed)
	t.Label("requested" + id)
}

// storeSum writes the code that stores the sum in each mode.
func (t tileCode) storeSum() {
	t.Label(t.name + "store")
	c, alpha, old := t.rowsOfC(), t.vector(0), t.register(t.free())
	t.compare(t.mode, operand.Imm(modeProduct), t.JEQ, t.name+"product")
	t.VBROADCASTSD(t.parameter("alpha"), alpha)
	t.JLT(operand.LabelRef(t.name + "scaled"))
	if t.rows > minPacked {
		t.compare(t.mode, operand.Imm(modePacked), t.JEQ, t.name+"packed")
	}
	t.addSum(c, alpha, old, equal)
	if t.rows > minPacked {
		t.Label(t.name + "packed")
		t.addSum(c, alpha, old, packed)
	}
	t.Label(t.name + "scaled")
	t.eachAcc(func(r, v int) { t.VMULPD(alpha, t.acc(r, v), t.acc(r, v)) })
	t.Label(t.name + "product")
	t.eachAcc(func(r, v int) { t.store(t.acc(r, v), v, c.row(r, v*8*t.lanes), old) })
	t.Label(t.name + "end")
}

// addSum writes C = alpha*sum + C for rows that begin shorter(r) elements before r*ldc.
func (t tileCode) addSum(c stack, alpha, old reg.VecPhysical, shorter func(r int) int) {
	t.eachAcc(func(r, v int) {
		m := c.row(r, v*8*t.lanes-8*shorter(r))
		if t.masked && v == t.vectors-1 {
			t.load(m, v, old)
			t.VFMADD213PD(old, alpha, t.acc(r, v))
		} else {
			t.VFMADD213PD(m, alpha, t.acc(r, v))
		}
		t.store(t.acc(r, v), v, m, old)
	})
	t.JMP(operand.LabelRef(t.name + "end"))
}

// equal and packed return the number of elements by which row r of C begins before r·ldc: equal for
// equally spaced rows, packed for packed storage. Both agree for tiles of at most minPacked rows.
func equal(int) int { return 0 }

func packed(r int) int { return r * (r - 1) / 2 }

const minPacked = 2
