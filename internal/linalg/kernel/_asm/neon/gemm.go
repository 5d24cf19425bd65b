package neon

import (
	"fmt"
	"math"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// A tile is the part of C in registers, rows×columns: at most six rows of four vectors, which are 24
// accumulators. A step of the sum loads four vectors of B, and an element of each row of A into one of
// four registers: 10 loads for 24 multiply-adds of two elements. FMLA by element needs no broadcast.
//
//	8×6   24 accumulators, 3 vectors of B, 5 elements of A: 11 loads, and rows of B of 48 bytes
//	6×8   24 accumulators, 4 vectors of B, 4 elements of A: 10 loads, and rows of B of 64 bytes
//
// A tile of 6×8 needs fewer loads, its rows of B fill cache lines, and it is the tile of avx2.
type tile struct{ rows, columns int }

const (
	tileRows    = 6
	tileColumns = 8
)

func (t tile) whole() bool { return t.columns == tileColumns }

// vectors returns the number of vectors of a row. With odd columns the last has one element.
func (t tile) vectors() int { return (t.columns + 1) / 2 }

// at returns the register of vector v of row r, if the rows begin at register 0.
func (t tile) at(r, v int) vector { return vector(r*t.vectors() + v) }

func (t tile) row(g *generator) part {
	return part{generator: g, count: t.vectors(), one: t.columns%2 == 1}
}

// eachTile writes a loop over the columns of a strip for each number of rows, and ends the function.
// write writes the code for a tile, whole or at the right edge. next writes the move to the next tile.
func (g *generator) eachTile(m, n general, write func(t tile), next func()) {
	done := g.unique("end")
	var rows [tileRows + 1]label
	for r := tileRows; r > 0; r-- {
		rows[r] = g.unique(fmt.Sprintf("rows%d", r))
		if r > 1 {
			g.jumpIf(m, equal, r, rows[r])
		}
	}
	for r := 1; r <= tileRows; r++ {
		edge := g.unique("edge")
		g.here(rows[r])
		g.jumpIf(n, less, tileColumns, edge)
		write(tile{r, tileColumns})
		next()
		g.op("SUB", tileColumns, n, n)
		g.jump(rows[r])
		g.here(edge)
		g.jumpIf(n, equal, 0, done)
		for columns := 1; columns < tileColumns; columns++ {
			wider := g.unique("wider")
			if columns < tileColumns-1 {
				g.jumpIf(n, greater, columns, wider)
			}
			write(tile{r, columns})
			g.jump(done)
			g.here(wider)
		}
	}
	g.here(done)
	g.ret()
}

// steps is the unrolling factor of the loop over the sum for a whole tile.
const steps = 4

// A gemmCode holds the registers that Gemm needs throughout. Strides are in bytes.
type gemmCode struct {
	*generator
	n, b, c         general           // the number of columns left, and their panel and tile
	a               [tileRows]general // the rows of A
	colA, rowB, ldc general
	closerC         general // by how much the distance to the next row of C decreases from row to row
	mode            general // how C is computed, see setMode
	k, offset       general // the number of steps left, and the offset of the next step in the rows of A
	bp, ahead       general // the row of B, and the distance from it to the prefetched data
}

// gemm writes Kernel.Gemm, with code for each number of rows and of columns of a tile.
func gemm(g *generator) {
	g.function("Gemm")
	x := gemmCode{generator: g, n: g.load("n"), b: g.load("b"), c: g.load("c"),
		colA: g.bytes("colA"), rowB: g.bytes("rowB"), ldc: g.bytes("ldc"), closerC: g.general(), mode: g.general(),
		k: g.general(), offset: g.general(), bp: g.general(), ahead: g.general()}
	x.op("LSL", 3, x.rowB, x.ahead)
	x.op("ADD", 8*tileColumns-8, x.ahead, x.ahead)
	x.setRows()
	x.setMode()
	m := g.load("m")
	g.release(m) // eachTile reads m before it writes any register
	g.eachTile(m, x.n, x.tile, func() {
		panel := g.bytes("panelB")
		g.op("ADD", panel, x.b, x.b)
		g.op("ADD", 8*tileColumns, x.c, x.c)
		g.release(panel)
	})
}

func (x *gemmCode) setRows() {
	distance := x.bytes("rowA")
	x.a[0] = x.load("a")
	for r := 1; r < tileRows; r++ {
		x.a[r] = x.general()
		x.op("ADD", distance, x.a[r-1], x.a[r])
	}
	x.release(distance)
}

// The modes: C = alpha·A·B, C = A·B, and C = alpha·A·B + C.
const (
	modeScaled = iota
	modeProduct
	modeAdd
)

// setMode sets mode and closerC from the arguments store and alpha. Continue stores C like Overwrite.
func (x *gemmCode) setMode() {
	overwrite, set, store, one := x.unique("overwrite"), x.unique("set"), x.general(), x.general()
	x.op("MOVBU", x.argument("store"), store)
	x.op("MOVD", "ZR", x.closerC)
	x.op("MOVD", modeAdd, x.mode)
	x.jumpIf(store, equal, spec.StoreAdd, set)
	x.jumpIf(store, unequal, spec.StoreAddPacked, overwrite)
	x.op("MOVD", 8, x.closerC)
	x.jump(set)
	x.here(overwrite)
	x.op("MOVD", modeScaled, x.mode)
	x.op("MOVD", int(math.Float64bits(1)), one)
	alpha := x.load("alpha")
	x.jumpIf(alpha, unequal, one, set)
	x.op("MOVD", modeProduct, x.mode)
	x.here(set)
	x.release(store, one, alpha)
}
