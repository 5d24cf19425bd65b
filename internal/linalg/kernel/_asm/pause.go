package main

// pause writes one PAUSE, which takes some ten to fifty nanoseconds.
func pause(g *generator) {
	g.function("pause")
	g.PAUSE()
	g.RET()
}
