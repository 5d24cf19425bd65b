package neon

// rotateSweeps is the number of sweeps that rotate applies at once.
const rotateSweeps = 4

// rotate is the loop
//
//	for w := range m {
//		for j := range k {
//			t, s := ts[w*ldt+2*j], ts[w*ldt+2*j+1]
//			for i := range n {
//				x, y := &a[(j-w)*lda+i], &a[(j-w+1)*lda+i]
//				*x = FMA(t, *y, *x)
//				*y = FMA(-s, *x, *y)
//				*x = FMA(t, *y, *x)
//			}
//		}
//	}
//
// for m = 1 or m = rotateSweeps. The loop over j is outside of that over w, as in that of amd64.
func rotate(g *generator) {
	g.function("rotate", "(m, k, n int, ts *float64, ldt int, a *float64, lda int)",
		"is Kernel.Rotate. The reference is drotateGeneric.")
	m, n, a, ldt, lda := g.load("m"), g.load("n"), g.load("a"), g.bytes("ldt"), g.bytes("lda")
	single := g.unique("single")
	g.jumpIf(m, equal, 1, single)
	for range rotateSweeps - 1 {
		g.op("SUB", lda, a)
	}
	for _, sweeps := range []int{rotateSweeps, 1} {
		g.while(n, 8, func() {
			g.rotateStrip(sweeps, a, ldt, lda)
			g.forward([]general{a}, 8)
		})
		g.ret()
		if sweeps > 1 {
			g.here(single)
		}
	}
}

// rotateStrip rotates eight columns. In step j row i is in the registers from ((i-j+m-1) mod (m+1))·4
// on; t and s are the elements of one vector.
func (g *generator) rotateStrip(sweeps int, a, ldt, lda general) {
	const shear = vector(31)
	row := func(i int) vector { return vector(i % (sweeps + 1) * 4) }
	whole := part{generator: g, count: 4}
	oldest, newest, k, ts, from := g.general(), g.general(), g.load("k"), g.load("ts"), g.general()
	g.op("MOVD", a, oldest)
	g.op("MOVD", a, newest)
	for i := range sweeps {
		whole.load(newest, row(i))
		g.op("ADD", lda, newest)
	}
	loop, end := g.unique("loop"), g.unique("end")
	last := make([]label, sweeps+1)
	g.here(loop)
	for step := range last {
		last[step] = g.unique("last")
		whole.load(newest, row(step+sweeps))
		g.op("MOVD", ts, from)
		for w := range sweeps {
			g.loadVector(at(from, 0), shear)
			g.op("ADD", ldt, from)
			x, y := row(step+sweeps-1-w), row(step+sweeps-w)
			for v := range vector(4) {
				g.fmlaLane(y+v, shear, 0, x+v)
			}
			for v := range vector(4) {
				g.fmlsLane(x+v, shear, 1, y+v)
			}
			for v := range vector(4) {
				g.fmlaLane(y+v, shear, 0, x+v)
			}
		}
		whole.store(row(step), oldest)
		g.op("ADD", lda, oldest)
		g.op("ADD", lda, newest)
		g.op("ADD", 16, ts)
		g.op("SUB", 1, k)
		g.jumpIf(k, equal, 0, last[step])
	}
	g.jump(loop)
	for step, l := range last {
		g.here(l)
		for i := range sweeps {
			whole.store(row(step+1+i), oldest)
			g.op("ADD", lda, oldest)
		}
		g.jump(end)
	}
	g.here(end)
	g.release(oldest, newest, k, ts, from)
}
