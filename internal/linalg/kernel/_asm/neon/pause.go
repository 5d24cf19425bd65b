package neon

// pause writes one ISB, which waits until the instructions before it are done: some ten nanoseconds.
func pause(g *generator) {
	g.function("pause")
	g.op("ISB", 15)
	g.ret()
}
