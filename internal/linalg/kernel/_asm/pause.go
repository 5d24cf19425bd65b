package main

// pause writes one PAUSE, which takes about ten to fifty nanoseconds.
func pause(g *generator) {
	g.function("pause")
	g.PAUSE()
	g.RET()
}
