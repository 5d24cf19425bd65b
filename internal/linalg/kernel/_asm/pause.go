package main

// pause is one PAUSE, some ten to fifty nanoseconds.
func pause(g *generator) {
	g.function("pause")
	g.PAUSE()
	g.RET()
}
