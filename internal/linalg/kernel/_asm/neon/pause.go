package neon

// pause writes one ISB, which waits for the instructions before it and takes about ten nanoseconds.
func pause(g *generator) {
	g.function("pause")
	g.op("ISB", 15)
	g.ret()
}
