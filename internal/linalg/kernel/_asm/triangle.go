package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// triangle writes Kernel.Solve and Kernel.Multiply, for the diagonal blocks of triangular matrices.
func triangle(g *generator) {
	g.triangular(triangular{"Solve", true})
	g.triangular(triangular{"Multiply", false})
}

type triangular struct {
	name  string
	solve bool
}

// scale multiplies x by factor, an element of d: for Multiply an element of the diagonal, for Solve its
// reciprocal. For Solve it turns a product of -0 into +0.
func (op triangular) scale(g *generator, x, factor, zero reg.VecPhysical) {
	if op.solve {
		g.VFMADD213PD(zero, factor, x)
	} else {
		g.VMULPD(factor, x, x)
	}
}

// triangular writes Kernel.Solve or Kernel.Multiply. All rows of a tile of X are in registers, and each
// number of rows and of vectors has its own code. dtrsmGeneric and dtrmmGeneric show the algorithms.
func (g *generator) triangular(op triangular) {
	g.function(op.name)
	x, ldx := g.argument("x"), g.bytes("ldx")
	a := gemmArguments{c: x, n: g.argument("n")}
	t := g.argument("t")
	rowT, colT := g.bytes("rowT"), g.bytes("colT")
	d := g.argument("d")
	a.mask = g.newMask()
	g.eachTile(a, func(shape tile) { g.triangularTile(op, a, shape, x, ldx, t, rowT, colT, d) })
}

func (g *generator) triangularTile(op triangular, a gemmArguments, shape tile, first, ldx, t, rowT, colT, d reg.GPVirtual) {
	x := g.stack(first, ldx, shape.rows)
	at := func(r, v int) reg.VecPhysical { return g.register(r*shape.vectors + v) }
	factor, spare, zero := g.register(g.vecs-1), g.register(g.vecs-2), g.register(g.vecs-3)
	g.zero(zero)
	for r := range shape.rows {
		for v := range shape.vectors {
			g.load(a, shape, x.row(r, 8*g.lanes*v), v, at(r, v))
		}
	}
	id := g.unique()
	scale := func(j int) {
		skip := fmt.Sprintf("unit%s_%d", id, j)
		g.ifZero(d, g.JEQ, skip)
		g.VBROADCASTSD(operand.Mem{Base: d, Disp: 8 * j}, factor)
		for v := range shape.vectors {
			op.scale(g, at(j, v), factor, zero)
		}
		g.Label(skip)
	}
	// eliminate subtracts or adds row j to the rows below; p points to T[j+1,j].
	eliminate := func(j int, p reg.GPVirtual) {
		for i := j + 1; i < shape.rows; i++ {
			g.VBROADCASTSD(operand.Mem{Base: p}, factor)
			if i < shape.rows-1 {
				g.ADDQ(rowT, p)
			}
			for v := range shape.vectors {
				if op.solve {
					g.VFNMADD231PD(factor, at(j, v), at(i, v))
				} else {
					g.VFMADD231PD(factor, at(j, v), at(i, v))
				}
			}
		}
	}
	column, p := g.GP64(), g.GP64()
	if op.solve {
		g.LEAQ(operand.Mem{Base: t, Index: rowT, Scale: 1}, column) // T[1,0]
		for j := range shape.rows {
			scale(j)
			if j < shape.rows-1 {
				g.MOVQ(column, p)
				eliminate(j, p)
				g.ADDQ(rowT, column)
				g.ADDQ(colT, column)
			}
		}
	} else {
		// From T[m-1,m-2] back.
		g.MOVQ(t, column)
		g.ADDQ(rowT, column)
		for range shape.rows - 2 {
			g.ADDQ(rowT, column)
			g.ADDQ(colT, column)
		}
		for j := shape.rows - 1; j >= 0; j-- {
			if j < shape.rows-1 {
				g.MOVQ(column, p)
				eliminate(j, p)
				g.SUBQ(rowT, column)
				g.SUBQ(colT, column)
			}
			scale(j)
		}
	}
	if op.solve {
		g.positiveZeros(d, "positive"+id, zero, shape.rows*shape.vectors)
	}
	for r := range shape.rows {
		for v := range shape.vectors {
			g.store(a, shape, at(r, v), v, x.row(r, 8*g.lanes*v), spare)
		}
	}
}

// positiveZeros adds +0 to the first registers if the diagonal d is nil. Otherwise scale has added it.
func (g *generator) positiveZeros(d reg.GPVirtual, label string, zero reg.VecPhysical, registers int) {
	g.ifZero(d, g.JNE, label)
	for i := range registers {
		g.VADDPD(zero, g.register(i), g.register(i))
	}
	g.Label(label)
}
