package neon

import "math"

// level2 writes the kernels of a matrix and two vectors.
func level2(g *generator) {
	gemvN(g)
	gemvT(g)
	ger(g)
	dotxaxpyf(g)
}

// A matrix is a row-major matrix that a kernel goes through in blocks of rows, from the top down.
type matrix struct {
	*generator
	m    general // rows that are left
	a    general // the first of them
	lda  general // the distance from the first to the second row, in bytes
	step any     // a register: the growth of that distance from row to row; nil for none
}

func (g *generator) matrix() matrix { return matrix{g, g.load("m"), g.load("a"), g.bytes("lda"), nil} }

// blocks writes a loop over blocks of rows for each block height in rows, which must descend. The body
// may change the pointers to the rows.
func (x matrix) blocks(rows []int, body func(pointers []general)) {
	for _, r := range rows {
		x.while(x.m, r, func() {
			pointers := make([]general, r)
			for i := range pointers {
				pointers[i] = x.general()
				x.op("MOVD", x.a, pointers[i])
				x.op("ADD", x.lda, x.a)
				if x.step != nil {
					x.op("ADD", x.step, x.lda)
				}
			}
			body(pointers)
			x.release(pointers...)
		})
	}
}

// along is parts for the rows at pointers and the named vector, which has an element for each column.
func (g *generator) along(unroll int, name string, pointers []general, body func(p part, vector general)) {
	n, v := g.load("n"), g.load(name)
	g.parts(unroll, n, append(pointers, v), func(p part) { body(p, v) })
	g.release(n, v)
}

// multipliers sets the first element of register t+r to alpha*x[r*incX] for r < rows, and moves x past
// these elements. It uses register 31.
func (g *generator) multipliers(rows int, x general, incX any, t vector) {
	alpha := vector(31)
	g.loadOneArgument("alpha", alpha)
	for r := range vector(rows) {
		g.loadOne(at(x, 0), t+r)
		g.op("ADD", incX, x)
		g.fmul(t+r, alpha, t+r)
	}
}

// add computes y[r*incY] = scale(y[r*incY]) + alpha*s[r] for r < rows, and moves y past these elements.
// s[r] is the total that sums leaves in register r. add uses registers 30 and 31.
func (g *generator) add(rows int, y general, incY any, scale func(v vector)) {
	old, alpha := vector(30), vector(31)
	g.loadOneArgument("alpha", alpha)
	for s := range vector(rows) {
		g.loadOne(at(y, 0), old)
		scale(old)
		g.fmla(s, alpha, old)
		g.storeOne(old, at(y, 0))
		g.op("ADD", incY, y)
	}
}

// longRow is the maximum length of rows that GemvN takes several at a time. The value was measured for
// AVX2; nothing was measured on arm64.
const longRow = 250

// gemvN writes Kernel.GemvN. Several rows share the loads of x: four short rows, or three longer rows,
// for which innerMany takes half of the lanes at a time. Long rows, of a matrix that exceeds the L1
// cache, are taken one by one and in one pass, as with AVX2.
func gemvN(g *generator) {
	g.function("GemvN")
	a, length := g.matrix(), g.load("n")
	y, incY := g.load("y"), g.bytes("incY")
	blocks := func(rows []int, many bool) {
		a.blocks(rows, func(pointers []general) {
			n, x := g.load("n"), g.load("x")
			g.inner(n, x, pointers, many)
			g.release(n, x)
			g.sums(len(pointers))
			scale := g.scaling(27)
			g.add(len(pointers), y, incY, scale)
		})
	}
	more, long := g.unique("more"), g.unique("long")
	g.jumpIf(length, atLeast, manyLanes, more)
	blocks([]int{4, 2, 1}, false)
	g.ret()
	g.here(more)
	g.jumpIf(length, greater, longRow, long)
	blocks([]int{3, 2}, true)
	g.here(long)
	blocks([]int{1}, true)
	g.ret()
}

// scaling returns a function that writes the code to multiply a vector by beta, or to clear it if beta
// is zero, because 0 times NaN is NaN. The code uses three registers from v on.
func (g *generator) scaling(v vector) func(vector) {
	beta, zero, mask := v, v+1, v+2
	g.broadcast("beta", beta)
	g.zero(zero)
	g.fcmeq(beta, zero, mask)
	return func(v vector) {
		g.fmul(v, beta, v)
		g.bit(zero, mask, v)
	}
}

// gemvT writes Kernel.GemvT for eight rows at once, which share each load and store of y. The products
// of a column are added to its element of y in the order of the rows.
func gemvT(g *generator) {
	g.function("GemvT")
	beta, one, scaled := g.load("beta"), g.general(), g.unique("scaled")
	g.op("MOVD", int(math.Float64bits(1)), one)
	g.jumpIf(beta, equal, one, scaled)
	scale := g.scaling(29)
	g.along(unroll, "y", nil, func(p part, y general) {
		p.load(y, 0)
		for v := range vector(p.count) {
			scale(v)
		}
		p.store(0, y)
	})
	g.here(scaled)
	g.release(beta, one)

	a, x, incX := g.matrix(), g.load("x"), g.bytes("incX")
	a.blocks([]int{8, 4, 2, 1}, func(rows []general) {
		t, u := vector(unroll), vector(2*unroll)
		g.multipliers(len(rows), x, incX, t)
		g.along(unroll, "y", rows, func(p part, y general) {
			p.load(y, 0)
			for r, row := range rows {
				p.load(row, u)
				for v := range vector(p.count) {
					g.fmlaLane(u+v, t+vector(r), 0, v)
				}
			}
			p.store(0, y)
		})
	})
	g.ret()
}

// ger writes Kernel.Ger for several rows at once, which share the loads of y. All loads of an iteration
// come before its stores.
func ger(g *generator) {
	g.function("Ger")
	const most = 4 // rows, and vectors of each
	a, x, incX := g.matrix(), g.load("x"), g.bytes("incX")
	a.blocks([]int{most, 2, 1}, func(rows []general) {
		t, u := vector(most*most), vector(most*most+most)
		g.multipliers(len(rows), x, incX, t)
		g.along(most, "y", rows, func(p part, y general) {
			p.load(y, u)
			for r, row := range rows {
				p.load(row, vector(r*most))
			}
			for r := range vector(len(rows)) {
				for v := range vector(p.count) {
					g.fmlaLane(u+v, t+r, 0, r*most+v)
				}
			}
			for r, row := range rows {
				p.store(vector(r*most), row)
			}
		})
	})
	g.ret()
}
