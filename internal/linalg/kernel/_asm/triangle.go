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
	g.eachTile(a, func(c tileCode) { c.apply(op, x, ldx, t, rowT, colT, d) })
}

// apply writes the code for one tile. first points to row 0 of the tile of X.
func (c tileCode) apply(op triangular, first, ldx, t, rowT, colT, d reg.GPVirtual) {
	x := c.stack(first, ldx, c.rows)
	factor, spare, zero := c.register(c.vecs-1), c.register(c.vecs-2), c.register(c.vecs-3)
	c.zero(zero)
	c.eachAcc(func(r, v int) { c.load(x.row(r, 8*c.lanes*v), v, c.acc(r, v)) })
	id := c.unique()
	// scale multiplies row j by an element of d, if d is not nil: for Multiply an element of the
	// diagonal, for Solve its reciprocal. For Solve it turns a product of -0 into +0.
	scale := func(j int) {
		skip := fmt.Sprintf("unit%s_%d", id, j)
		c.ifZero(d, c.JEQ, skip)
		c.VBROADCASTSD(operand.Mem{Base: d, Disp: 8 * j}, factor)
		for v := range c.vectors {
			if op.solve {
				c.VFMADD213PD(zero, factor, c.acc(j, v))
			} else {
				c.VMULPD(factor, c.acc(j, v), c.acc(j, v))
			}
		}
		c.Label(skip)
	}
	// eliminate subtracts or adds row j to the rows below; p points to T[j+1,j].
	eliminate := func(j int, p reg.GPVirtual) {
		for i := j + 1; i < c.rows; i++ {
			c.VBROADCASTSD(operand.Mem{Base: p}, factor)
			if i < c.rows-1 {
				c.ADDQ(rowT, p)
			}
			for v := range c.vectors {
				if op.solve {
					c.VFNMADD231PD(factor, c.acc(j, v), c.acc(i, v))
				} else {
					c.VFMADD231PD(factor, c.acc(j, v), c.acc(i, v))
				}
			}
		}
	}
	column, p := c.GP64(), c.GP64()
	if op.solve {
		c.LEAQ(operand.Mem{Base: t, Index: rowT, Scale: 1}, column) // T[1,0]
		for j := range c.rows {
			scale(j)
			if j < c.rows-1 {
				c.MOVQ(column, p)
				eliminate(j, p)
				c.ADDQ(rowT, column)
				c.ADDQ(colT, column)
			}
		}
		// Add +0, as scale does, if it has multiplied no row.
		c.ifZero(d, c.JNE, "positive"+id)
		c.eachAcc(func(r, v int) { c.VADDPD(zero, c.acc(r, v), c.acc(r, v)) })
		c.Label("positive" + id)
	} else {
		// From T[m-1,m-2] back.
		c.MOVQ(t, column)
		c.ADDQ(rowT, column)
		for range c.rows - 2 {
			c.ADDQ(rowT, column)
			c.ADDQ(colT, column)
		}
		for j := c.rows - 1; j >= 0; j-- {
			if j < c.rows-1 {
				c.MOVQ(column, p)
				eliminate(j, p)
				c.SUBQ(rowT, column)
				c.SUBQ(colT, column)
			}
			scale(j)
		}
	}
	c.eachAcc(func(r, v int) { c.store(c.acc(r, v), v, x.row(r, 8*c.lanes*v), spare) })
}
