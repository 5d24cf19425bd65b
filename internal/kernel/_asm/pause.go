package main

import "github.com/mmcloughlin/avo/attr"

// pause is one PAUSE, some ten to fifty nanoseconds.
func pause(g *generator) {
	g.Function("pause")
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr("func()")
	g.Doc("pause executes PAUSE.")
	g.PAUSE()
	g.RET()
}
