package neon

func level1(g *generator) {
	dot(g)
	axpy(g)
	scal(g)
	rot(g)
}

// unroll is the number of vectors in one iteration of a loop over a row, to hide the loop overhead.
const unroll = 8

// dot writes Kernel.Dot, in the order of inner and sums.
func dot(g *generator) {
	g.function("Dot")
	g.inner(g.load("n"), g.load("x"), []general{g.load("y")}, true)
	g.sums(1)
	g.result("ret", 0)
	g.ret()
}

// axpy writes Kernel.Axpy, with all loads of an iteration before its stores.
func axpy(g *generator) {
	g.function("Axpy")
	alpha := vector(31)
	g.loadOneArgument("alpha", alpha)
	n, x, y := g.load("n"), g.load("x"), g.load("y")
	g.parts(unroll, n, []general{x, y}, func(p part) {
		p.load(x, unroll)
		p.load(y, 0)
		for v := range vector(p.count) {
			g.fmlaLane(unroll+v, alpha, 0, v)
		}
		p.store(0, y)
	})
	g.ret()
}

func scal(g *generator) {
	g.function("Scal")
	alpha := vector(31)
	g.broadcast("alpha", alpha)
	n, x := g.load("n"), g.load("x")
	g.parts(unroll, n, []general{x}, func(p part) {
		p.load(x, 0)
		for v := range vector(p.count) {
			g.fmul(v, alpha, v)
		}
		p.store(0, x)
	})
	g.ret()
}

// rot writes Kernel.Rot, with all loads of an iteration before its stores.
func rot(g *generator) {
	g.function("Rot")
	const u, v, fromX, fromY, h = vector(0), vector(4), vector(8), vector(12), vector(28)
	for i, name := range []string{"h11", "h12", "h21", "h22"} {
		g.broadcast(name, h+vector(i))
	}
	n, x, y := g.load("n"), g.load("x"), g.load("y")
	g.parts(unroll/2, n, []general{x, y}, func(p part) {
		p.load(x, u)
		p.load(y, v)
		for i := range vector(p.count) {
			g.fmul(v+i, h+1, fromY+i)
			g.fmul(u+i, h+2, fromX+i)
			g.fmul(u+i, h, u+i)
			g.fmul(v+i, h+3, v+i)
			g.fadd(u+i, fromY+i, u+i)
			g.fadd(v+i, fromX+i, v+i)
		}
		p.store(u, x)
		p.store(v, y)
	})
	g.ret()
}
