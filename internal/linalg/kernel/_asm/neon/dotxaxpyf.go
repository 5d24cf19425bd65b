package neon

// dotxaxpyf writes Kernel.Dotxaxpyf, which takes four rows at once and loads each element once. The
// first 16 registers hold the sums of the rows as in inner, and the next four the factors of the rows.
// The next six hold two vectors each of x, y and a row.
func dotxaxpyf(g *generator) {
	g.function("Dotxaxpyf")
	const factor, ex, ey, row = vector(16), vector(20), vector(22), vector(24)
	a, u, v := g.matrix(), g.load("u"), g.load("v")
	a.step = g.bytes("step")
	a.blocks([]int{4, 1}, func(rows []general) {
		n, x, y := g.load("n"), g.load("x"), g.load("y")
		g.zeros(fewLanes / 2 * len(rows))
		g.multipliers(len(rows), u, 8, factor)
		g.eights(n, append(rows, x, y), func(j int, p part) {
			p.load(x, ex)
			p.load(y, ey)
			for r, base := range rows {
				p.load(base, row)
				for i := range max(p.count, 1) {
					element := row + vector(i)
					g.fmla(element, ex+vector(i), vector((j+i)*len(rows)+r))
					g.fmlaLane(element, factor+vector(r), 0, ey+vector(i))
				}
			}
			p.store(ey, y)
		})
		g.release(n, x, y)
		g.sums(len(rows))
		g.add(len(rows), v, 8, func(vector) {})
	})
	g.ret()
}
