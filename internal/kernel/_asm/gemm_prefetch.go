package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// prefetched is the number of steps of the sum of the next strip's A that each tile prefetches to L2:
// the next strip reads it at once. Strips shorter than leastPrefetched prefetch the tile of C alone.
const (
	prefetched      = 32
	leastPrefetched = 96
	lateSteps       = 64
)

// prefetchBegin sets the address that the first tile prefetches: the row of A after a full strip.
func (g *generator) prefetchBegin(x gemmArguments) {
	rows := uint32(largest(g.isa).rows)
	p, closer := g.bytes("rowA"), g.GP64()
	g.IMUL3Q(operand.U32(rows), p, p)
	g.MOVQ(x.closerRow, closer)
	g.IMUL3Q(operand.U32(rows*(rows-1)/2), closer, closer)
	g.SUBQ(closer, p)
	g.ADDQ(g.parameter("a"), p)
	g.MOVQ(p, x.next)
	g.MOVQ(g.bytes("colA"), x.nextCol)
}

// prefetch splits the sum of k steps into k and then late steps, between which the tile of C is
// prefetched: earlier the panel of B that streams through L1 would displace it. late is zero for short
// sums. It also prefetches the next part of the next strip of A: rows×4 cache lines if A is stored by
// rows, and otherwise one line every colA. If columns get closer, every fourth address is exact, and
// the others are off by less than a line.
func (g *generator) prefetch(x gemmArguments, k reg.GPVirtual) (late reg.GPVirtual) {
	late = g.GP64()
	id := g.unique()
	done, byRows, loop := "fetched"+id, "fetch"+id, "fetching"+id
	g.XORQ(late, late)
	g.compare(k, operand.Imm(leastPrefetched), g.JGE, "long"+id)
	g.prefetchC(x, largest(g.isa))
	g.JMP(operand.LabelRef(done))
	g.Label("long" + id)
	g.MOVQ(k, late)
	g.SUBQ(operand.Imm(lateSteps), k)
	g.ANDQ(operand.I32(-steps), k)
	g.SUBQ(k, late)
	p, line, row, count := g.GP64(), g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(x.next, p)
	g.MOVQ(operand.U32(8), count)
	g.compare(x.nextCol, operand.Imm(8), g.JEQ, byRows)

	g.MOVQ(x.nextCol, line)
	byCols := "fetchColumns" + id
	g.Label(byCols)
	g.PREFETCHT1(operand.Mem{Base: p})
	g.PREFETCHT1(operand.Mem{Base: p, Index: line, Scale: 1})
	g.PREFETCHT1(operand.Mem{Base: p, Index: line, Scale: 2})
	g.LEAQ(operand.Mem{Base: line, Index: line, Scale: 2}, row)
	g.PREFETCHT1(operand.Mem{Base: p, Index: row, Scale: 1})
	g.ADDQ(line, row)
	g.ADDQ(row, p)
	g.MOVQ(x.closerCol, row)
	g.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, row)
	g.SUBQ(row, p) // 0 + 1 + 2 + 3 times closerCol
	g.SUBQ(row, p)
	g.MOVQ(x.closerCol, row)
	g.SHLQ(operand.Imm(2), row)
	g.SUBQ(row, line)
	g.DECQ(count)
	g.JNE(operand.LabelRef(byCols))
	g.MOVQ(p, x.next)
	g.MOVQ(line, x.nextCol)
	g.JMP(operand.LabelRef(done))

	g.Label(byRows)
	g.MOVQ(g.bytes("rowA"), row)
	g.MOVQ(x.closerRow, line)
	g.SHLQ(operand.Imm(3), line)
	g.SUBQ(line, row)
	g.ADDQ(operand.U32(256), x.next)
	g.Label(loop)
	for i := range 4 {
		g.PREFETCHT1(operand.Mem{Base: p, Disp: 64 * i})
	}
	g.ADDQ(row, p)
	g.SUBQ(x.closerRow, row)
	g.DECQ(count)
	g.JNE(operand.LabelRef(loop))
	g.Label(done)
	return late
}

// prefetchC prefetches the tile of C.
func (g *generator) prefetchC(x gemmArguments, t tile) {
	id, c := g.unique(), g.GP64()
	request := func(shorter func(r int) int) {
		g.MOVQ(x.c, c)
		for r := range t.rows {
			for v := range t.vectors {
				g.PREFETCHT0(operand.Mem{Base: c, Disp: v*8*g.lanes - 8*shorter(r)})
			}
			g.ADDQ(x.ldc, c)
		}
	}
	g.compare(x.mode, operand.Imm(modePacked), g.JEQ, "requestPacked"+id)
	request(equal)
	g.JMP(operand.LabelRef("requested" + id))
	g.Label("requestPacked" + id)
	request(packed)
	g.Label("requested" + id)
}
