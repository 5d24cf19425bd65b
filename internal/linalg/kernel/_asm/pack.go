package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pack writes Kernel.Copy and Kernel.Transpose, with which package gemm packs its operands.
func pack(g *generator) {
	g.copyRows()
	g.transpose()
}

func (g *generator) copyRows() {
	g.function("Copy")
	m, n := g.argument("m"), g.argument("n")
	src, lds, stepS := g.argument("src"), g.bytes("lds"), g.bytes("stepS")
	dst, ldd, stepD := g.argument("dst"), g.bytes("ldd"), g.bytes("stepD")
	g.Comment("Copy whole vectors, and then the last vector of the row, which may overlap the one before. Prefetch the eighth row after this one: rows are too short for the prefetcher of the CPU.")
	g.compare(n, operand.Imm(uint64(g.lanes)), g.JLT, "short")
	v, last, j, far, down := g.register(0), g.GP64(), g.GP64(), g.GP64(), g.GP64()
	g.IMUL3Q(operand.Imm(8*7/2), stepS, far)
	g.ADDQ(src, far)
	g.LEAQ(operand.Mem{Base: far, Index: lds, Scale: 8}, far)
	g.LEAQ(operand.Mem{Base: lds, Index: stepS, Scale: 8}, down)
	g.LEAQ(operand.Mem{Base: n, Disp: -g.lanes}, last)
	g.SHLQ(operand.Imm(3), last)
	g.Label("row")
	g.XORQ(j, j)
	g.compare(j, last, g.JGE, "last")
	g.Label("vector")
	g.VMOVUPD(operand.Mem{Base: src, Index: j, Scale: 1}, v)
	g.PREFETCHT0(operand.Mem{Base: far, Index: j, Scale: 1})
	g.VMOVUPD(v, operand.Mem{Base: dst, Index: j, Scale: 1})
	g.ADDQ(operand.Imm(uint64(8*g.lanes)), j)
	g.compare(j, last, g.JLT, "vector")
	g.Label("last")
	g.VMOVUPD(operand.Mem{Base: src, Index: last, Scale: 1}, v)
	g.PREFETCHT0(operand.Mem{Base: far, Index: last, Scale: 1, Disp: 8*g.lanes - 8})
	g.VMOVUPD(v, operand.Mem{Base: dst, Index: last, Scale: 1})
	g.ADDQ(down, far)
	g.ADDQ(stepS, down)
	next := func(label string) {
		g.ADDQ(lds, src)
		g.ADDQ(ldd, dst)
		g.ADDQ(stepS, lds)
		g.ADDQ(stepD, ldd)
		g.DECQ(m)
		g.JNE(operand.LabelRef(label))
		g.ret()
	}
	next("row")

	g.Label("short")
	mask := g.last(n)
	g.Label("part")
	g.loadMasked(mask, operand.Mem{Base: src}, v)
	g.storeMasked(mask, v, operand.Mem{Base: dst})
	next("part")
}

// transpose writes Kernel.Transpose for m and n that are multiples of g.lanes, in squares of g.lanes
// rows and columns.
func (g *generator) transpose() {
	g.function("Transpose")
	m, src, lds, step, dst := g.parameter("m"), g.parameter("src"), g.parameter("lds"), g.parameter("step"), g.parameter("dst")
	g.SHLQ(operand.Imm(3), lds)
	g.SHLQ(operand.Imm(3), step)
	ldd := g.bytes("ldd")
	size := operand.Imm(uint64(g.lanes))
	bytes := operand.Imm(uint64(8 * g.lanes))
	g.Label("rows")
	rows := g.spacedRows(src, lds, step, g.lanes)
	n, d := g.argument("n"), g.GP64()
	g.MOVQ(dst, d)
	g.Label("square")
	to := g.stack(d, ldd, g.lanes)
	from := func(r, disp int) operand.Mem { return operand.Mem{Base: rows[r], Disp: disp} }
	if g.lanes == 8 {
		g.square8(from, to.row)
	} else {
		g.square4(from, to.row)
	}
	g.forward(rows, g.lanes)
	for range g.lanes / 4 {
		g.LEAQ(operand.Mem{Base: d, Index: ldd, Scale: 4}, d)
	}
	g.SUBQ(size, n)
	g.JNE(operand.LabelRef("square"))
	g.ADDQ(bytes, dst)
	g.SUBQ(size, m)
	g.JNE(operand.LabelRef("rows"))
	g.ret()
}

// spacedRows returns pointers to n rows. src addresses the first row, and the distance to the next, lds
// bytes, grows by step with each row. spacedRows moves src and lds past the n rows.
func (g *generator) spacedRows(src, lds, step operand.Mem, n int) []reg.GPVirtual {
	distance, change := g.GP64(), g.GP64()
	g.MOVQ(lds, distance)
	g.MOVQ(step, change)
	rows := make([]reg.GPVirtual, n+1)
	for r := range rows {
		rows[r] = g.GP64()
		if r == 0 {
			g.MOVQ(src, rows[r])
			continue
		}
		g.LEAQ(operand.Mem{Base: rows[r-1], Index: distance, Scale: 1}, rows[r])
		g.ADDQ(change, distance)
	}
	g.MOVQ(rows[n], src)
	g.MOVQ(distance, lds)
	return rows[:n]
}

// square8 transposes 8×8 elements. It interleaves the elements of pairs of rows. Then it gathers the
// even and the odd quarters of pairs of vectors, in two rounds.
func (g *generator) square8(from, to func(r, disp int) operand.Mem) {
	r, t := func(i int) reg.VecPhysical { return g.register(i) }, func(i int) reg.VecPhysical { return g.register(8 + i) }
	for i := range 8 {
		g.VMOVUPD(from(i, 0), r(i))
	}
	for i := 0; i < 8; i += 2 {
		g.VUNPCKLPD(r(i+1), r(i), t(i))   // columns 0 2 4 6 of rows i, i+1
		g.VUNPCKHPD(r(i+1), r(i), t(i+1)) // columns 1 3 5 7
	}
	for h := range 2 { // columns of the parity h
		// Quarters: rows 0-1 and 2-3, then rows 4-5 and 6-7, columns 0 4 and 2 6 (plus h).
		g.VSHUFF64X2(operand.Imm(0x88), t(2+h), t(h), r(0))
		g.VSHUFF64X2(operand.Imm(0xdd), t(2+h), t(h), r(1))
		g.VSHUFF64X2(operand.Imm(0x88), t(6+h), t(4+h), r(2))
		g.VSHUFF64X2(operand.Imm(0xdd), t(6+h), t(4+h), r(3))
		g.VSHUFF64X2(operand.Imm(0x88), r(2), r(0), r(4))
		g.VSHUFF64X2(operand.Imm(0xdd), r(2), r(0), r(5))
		g.VSHUFF64X2(operand.Imm(0x88), r(3), r(1), r(6))
		g.VSHUFF64X2(operand.Imm(0xdd), r(3), r(1), r(7))
		for i, column := range []int{0, 4, 2, 6} {
			g.VMOVUPD(r(4+i), to(column+h, 0))
		}
	}
}

// square4 transposes 4×4 elements: it combines halves of rows while loading, then interleaves elements.
func (g *generator) square4(from, to func(r, disp int) operand.Mem) {
	r, t := func(i int) reg.VecPhysical { return g.register(i) }, func(i int) reg.VecPhysical { return g.register(4 + i) }
	for h := range 2 { // columns 2h, 2h+1 of rows 0 and 2, and of rows 1 and 3
		for i := range 2 {
			v := r(2*h + i)
			g.VMOVUPD(from(i, 16*h), v.AsX())
			g.VINSERTF128(operand.Imm(1), from(i+2, 16*h), v, v)
		}
		g.VUNPCKLPD(r(2*h+1), r(2*h), t(2*h))
		g.VUNPCKHPD(r(2*h+1), r(2*h), t(2*h+1))
	}
	for i := range 4 {
		g.VMOVUPD(t(i), to(i, 0))
	}
}
