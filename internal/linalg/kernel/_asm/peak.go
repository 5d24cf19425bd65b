package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peak writes Kernel.Peak, a loop of fused multiply-adds on registers: the limit of every kernel. Its
// chains are independent and hide the latency on any CPU (two units and five cycles need ten chains).
func peak(g *generator) {
	const chains = 12
	g.function("Peak")
	n := g.argument("n")
	x, y := g.register(0), g.register(1)
	g.VBROADCASTSD(g.parameter("x"), x)
	g.VBROADCASTSD(g.parameter("y"), y)
	var z []reg.VecPhysical
	for i := range chains {
		z = append(z, g.register(2+i))
		g.zero(z[i])
	}
	g.Label("loop")
	g.compare(n, operand.Imm(0), g.JLE, "done")
	for _, v := range z {
		g.VFMADD231PD(y, x, v)
	}
	g.DECQ(n)
	g.JMP(operand.LabelRef("loop"))
	g.Label("done")
	g.Store(z[0].AsX(), g.ReturnIndex(0))
	g.ret()
}
