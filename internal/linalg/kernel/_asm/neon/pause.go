package neon

// pause writes one ISB, which takes about ten nanoseconds to wait for the instructions before it.
func pause(g *generator) {
	g.function("pause")
	g.op("ISB", 15)
	g.ret()
}
