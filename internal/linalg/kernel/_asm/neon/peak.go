package neon

// peakChains is the number of independent sums in Peak. Four units with a latency of four cycles, as in
// Neoverse V and Apple's cores, need 16.
const peakChains = 24

// peak writes Kernel.Peak, a loop of fused multiply-adds on registers: the limit of every kernel.
func peak(g *generator) {
	g.function("Peak")
	n, x, y := g.load("n"), vector(peakChains), vector(peakChains+1)
	g.broadcast("x", x)
	g.broadcast("y", y)
	g.zeros(peakChains)
	g.while(n, 1, func() {
		for z := range vector(peakChains) {
			g.fmla(x, y, z)
		}
	})
	g.result("ret", 0)
	g.ret()
}
