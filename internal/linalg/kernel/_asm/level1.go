package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// level1 writes the kernels of one or two vectors. The kernel avx512 takes axpy and rot, and ger of
// level2, from avx2, because stores limit them. Zen 4 stores 512 bits no faster than 256 bits twice. On
// Zen 4, the ger of avx2 takes 17 ns for n = 7 and 4.9 µs for n = 256. With 512-bit vectors and masked
// tails it took 58 ns and 6.1 µs.
func level1(g *generator) {
	dot(g)
	scal(g)
	if g.lanes == 4 {
		axpy(g)
		rot(g)
	}
}

// unroll is the number of vectors in one iteration of a loop over a row, to hide the loop overhead.
const unroll = 4

// dot writes Kernel.Dot, in the order of inner and sums.
func dot(g *generator) {
	g.function("Dot")
	n, x, y := g.argument("n"), g.argument("x"), g.argument("y")
	g.inner("dot", 1, n, g.tail(n), x, []reg.GPVirtual{y}, func(i, _ int) operand.Mem { return g.at(y, i) })
	g.Store(g.sums(1).AsX(), g.ReturnIndex(0))
	g.ret()
}

func axpy(g *generator) {
	g.function("Axpy")
	alpha := g.vec()
	g.VBROADCASTSD(g.parameter("alpha"), alpha)
	n, x, y := g.argument("n"), g.argument("x"), g.argument("y")
	g.parts("axpy", unroll, n, g.edge(n), []reg.GPVirtual{x, y}, func(p part, count int) {
		p.update(count, g.along(y), func(i int, v vector) { p.fmaMemory(g.at(x, i), alpha, v) })
	})
	g.ret()
}

func scal(g *generator) {
	g.function("Scal")
	alpha := g.vec()
	g.VBROADCASTSD(g.parameter("alpha"), alpha)
	n, x := g.argument("n"), g.argument("x")
	g.parts("scal", unroll, n, g.edge(n), []reg.GPVirtual{x}, func(p part, count int) {
		p.update(count, g.along(x), func(_ int, v vector) { p.mul(alpha, v) })
	})
	g.ret()
}

// rot writes Kernel.Rot, with all loads of an iteration before its stores.
func rot(g *generator) {
	g.function("Rot")
	var h [4]vector
	for i, name := range []string{"h11", "h12", "h21", "h22"} {
		h[i] = g.vec()
		g.VBROADCASTSD(g.parameter(name), h[i])
	}
	n, x, y := g.argument("n"), g.argument("x"), g.argument("y")
	g.parts("rot", unroll/2, n, g.edge(n), []reg.GPVirtual{x, y}, func(p part, count int) {
		u, v := make([]vector, count), make([]vector, count)
		for i := range count {
			u[i], v[i] = g.vec(), g.vec()
			p.load(g.at(x, i), u[i])
			p.load(g.at(y, i), v[i])
		}
		for i := range count {
			fromX, fromY := g.vec(), g.vec()
			p.VMULPD(p.of(h[1]), p.of(v[i]), p.of(fromY))
			p.VMULPD(p.of(h[2]), p.of(u[i]), p.of(fromX))
			p.mul(h[0], u[i])
			p.mul(h[3], v[i])
			p.add(fromY, u[i])
			p.add(fromX, v[i])
		}
		for i := range count {
			p.store(u[i], g.at(x, i))
			p.store(v[i], g.at(y, i))
		}
	})
	g.ret()
}
