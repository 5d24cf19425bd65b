package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// symvRows is kernel.SymvRows.
const symvRows = 8

// symv writes Kernel.Symv for symvRows rows, one function for each triangle, without loops and with y
// in registers. Vectors would gain little, because the sum of a row adds one product after another.
func symv(g *generator) {
	for _, t := range []struct {
		name  string
		upper bool
	}{{"SymvUpper", true}, {"SymvLower", false}} {
		g.function(t.name)
		a, x, y := g.argument("a"), g.argument("x"), g.argument("y")
		lda, step := g.bytes("lda"), g.bytes("step")
		at := func(base reg.Register, i int) operand.Mem { return operand.Mem{Base: base, Disp: 8 * i} }
		sum := func(i int) reg.Register { return ymm(i).AsX() }
		alpha, factor, s, e, product := sum(8), sum(9), sum(10), sum(11), sum(12)
		for i := range symvRows {
			g.VMOVSD(at(y, i), sum(i))
		}
		g.VMOVSD(g.parameter("alpha"), alpha)
		for i := range symvRows {
			first, end := 0, i
			if t.upper {
				first, end = i+1, symvRows
			}
			g.VMULSD(at(x, i), alpha, factor)
			g.VXORPD(s, s, s)
			for j := first; j < end; j++ {
				g.VMOVSD(at(a, j), e)
				g.VMULSD(at(x, j), e, product)
				g.VADDSD(product, s, s)
				g.VMULSD(factor, e, e)
				g.VADDSD(e, sum(j), sum(j))
			}
			g.VMOVSD(at(a, i), e)
			g.VMULSD(at(x, i), e, e)
			g.VADDSD(s, e, e)
			g.VMULSD(alpha, e, e)
			g.VADDSD(e, sum(i), sum(i))
			g.ADDQ(lda, a)
			g.ADDQ(step, lda)
		}
		for i := range symvRows {
			g.VMOVSD(sum(i), at(y, i))
		}
		g.ret()
	}
}
