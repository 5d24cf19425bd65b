package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// A tile is the part of C in registers: rows×vectors accumulators. The last vector of a row may be
// partial (masked).
//
//	AVX-512   8×24: 24 accumulators, 3 vectors of B, 5 broadcast elements of A: 32 registers
//	AVX2       6×8: 12 accumulators, 2 vectors of B, 2 broadcast elements of A: 16 registers
//
// A step of the sum loads rows + vectors operands for rows·vectors multiply-adds: 11 for 24 with
// AVX-512, 8 for 12 with AVX2.
type tile struct {
	rows, vectors int
	masked        bool
}

func largest(i isa) tile {
	if i.lanes == 8 {
		return tile{rows: 8, vectors: 3}
	}
	return tile{rows: 6, vectors: 2}
}

// steps is the number of steps of the sum in one iteration of the loop.
const steps = 4

// gemmArguments holds the values that Gemm needs throughout. They are on the stack unless every step
// uses them. Strides are in bytes.
type gemmArguments struct {
	b, c, n operand.Op   // the panel (nil if there is none), the tile, and the number of columns left
	ldc     operand.Mem  // the distance between rows of C
	mask    reg.Register // of the last vector: a mask register or a pointer to a mask
	mode    operand.Mem  // how C is computed, see setMode
	panels  operand.Mem  // whether A and B are packed micro-panels, see setPanels
}

// gemm writes Kernel.Gemm, with code for each number of rows, both for whole tiles and for each number
// of vectors at the right edge. edgeGeneric is the reference for every tile.
func gemm(g *generator) {
	g.function("Gemm")
	x := gemmArguments{
		b: g.parameter("b"), c: g.parameter("c"), n: g.parameter("n"),
		ldc: g.AllocLocal(8), mode: g.AllocLocal(8), panels: g.AllocLocal(8),
	}
	g.MOVQ(g.bytes("ldc"), x.ldc)
	x.mask = g.newMask()
	g.setMode(x)
	g.setPanels(x)
	g.eachTile(x, func(t tileCode) {
		t.sum()
		t.storeSum()
	})
	for _, write := range g.later {
		write()
	}
}

// eachTile calls write for each kind of tile, adds the jumps on m and the loops, and ends the function.
func (g *generator) eachTile(x gemmArguments, write func(tileCode)) {
	full := largest(g.isa)
	for r := full.rows; r > 1; r-- {
		g.compare(g.parameter("m"), operand.Imm(uint64(r)), g.JEQ, fmt.Sprintf("rows%d", r))
	}
	for r := 1; r <= full.rows; r++ {
		g.Label(fmt.Sprintf("rows%d", r))
		g.columns(x, tile{rows: r, vectors: full.vectors}, write)
	}
	g.Label("done")
	g.ret()
}

// columns writes the loop over the x.n columns of a strip of C for one number of rows. Whole tiles come
// first, and then code for each number of vectors at the right edge.
func (g *generator) columns(x gemmArguments, t tile, write func(tileCode)) {
	whole, edge := fmt.Sprintf("whole%d", t.rows), fmt.Sprintf("edge%d", t.rows)
	width := t.vectors * g.lanes
	g.Label(whole)
	g.compare(x.n, operand.Imm(uint64(width)), g.JLT, edge)
	write(tileCode{g, x, t, fmt.Sprintf("r%dv%d", t.rows, t.vectors)})
	if x.b != nil {
		g.ADDQ(g.bytes("panelB"), x.b)
	}
	g.ADDQ(operand.Imm(uint64(8*width)), x.c)
	g.SUBQ(operand.Imm(uint64(width)), x.n)
	g.JMP(operand.LabelRef(whole))

	g.Label(edge)
	g.compare(x.n, operand.Imm(0), g.JEQ, "done")
	for v := 1; v <= t.vectors; v++ {
		next := fmt.Sprintf("edge%d_%d", t.rows, v+1)
		if v < t.vectors {
			g.compare(x.n, operand.Imm(uint64(v*g.lanes)), g.JGT, next)
		}
		g.setMask(x, v)
		write(tileCode{g, x, tile{t.rows, v, true}, fmt.Sprintf("r%dv%dm", t.rows, v)})
		g.JMP(operand.LabelRef("done"))
		if v < t.vectors {
			g.Label(next)
		}
	}
}

// setMask sets x.mask to the mask of the last of v vectors, which holds n - (v-1)·lanes columns.
func (g *generator) setMask(x gemmArguments, v int) {
	rest := g.GP64()
	g.MOVQ(x.n, rest)
	g.SUBQ(operand.Imm(uint64((v-1)*g.lanes)), rest)
	g.maskOf(rest, x.mask)
}

// The modes: C = alpha·A·B, C = A·B, and C = alpha·A·B + C in equally spaced or packed rows. In this
// order, one comparison with modeProduct separates the first two from the last two.
const (
	modeScaled = iota
	modeProduct
	modeAdd
	modePacked
)

// setPanels sets x.panels to 1 if A and B are packed (rowA = 1, colA = MR, rowB = NR), otherwise to 0.
func (g *generator) setPanels(x gemmArguments) {
	t := largest(g.isa)
	g.MOVQ(operand.U32(0), x.panels)
	g.compare(g.parameter("rowA"), operand.Imm(1), g.JNE, "strided")
	g.compare(g.parameter("colA"), operand.Imm(uint64(t.rows)), g.JNE, "strided")
	g.compare(g.parameter("rowB"), operand.Imm(uint64(t.vectors*g.lanes)), g.JNE, "strided")
	g.MOVQ(operand.U32(1), x.panels)
	g.Label("strided")
}

// setMode sets the mode from the arguments store and alpha. Continue stores C like Overwrite.
func (g *generator) setMode(x gemmArguments) {
	store := g.GP64()
	g.MOVBQZX(g.parameter("store"), store)
	g.ADDQ(operand.Imm(modeAdd-1), store)
	g.MOVQ(store, x.mode)
	g.compare(store, operand.Imm(modeAdd-1+spec.StoreContinue), g.JEQ, "unread")
	g.compare(store, operand.Imm(modeAdd), g.JGE, "moded")
	g.Label("unread")
	g.MOVQ(operand.U32(modeScaled), x.mode)
	one := g.GP64()
	g.MOVQ(operand.U64(math.Float64bits(1)), one)
	g.compare(one, g.parameter("alpha"), g.JNE, "moded")
	g.MOVQ(operand.U32(modeProduct), x.mode)
	g.Label("moded")
}
