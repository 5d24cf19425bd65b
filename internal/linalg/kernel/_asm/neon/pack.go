package neon

// pack writes Kernel.Copy and Kernel.Transpose, with which package gemm packs its operands.
func pack(g *generator) {
	copyRows(g)
	transpose(g)
}

// copyRows writes Kernel.Copy. For w = 8, 4, 2 or 1 it copies a row of at most 2w elements as its first
// w and last w, which may overlap. It copies a longer row by sixteens, and then its last 16 elements.
func copyRows(g *generator) {
	g.function("Copy")
	m, n := g.load("m"), g.load("n")
	src, lds, stepS := g.load("src"), g.bytes("lds"), g.bytes("stepS")
	dst, ldd, stepD := g.load("dst"), g.bytes("ldd"), g.bytes("stepD")
	lastSrc, lastDst, s, d, left := g.general(), g.general(), g.general(), g.general(), g.general()
	for w := 16; w >= 1; w /= 2 {
		shorter := g.unique("shorter")
		if w > 1 {
			g.jumpIf(n, atMost, w, shorter)
		}
		g.op("SUB", w, n, left)
		g.op("ADD", left.shifted(3), src, lastSrc)
		g.op("ADD", left.shifted(3), dst, lastDst)
		p := part{generator: g, count: (w + 1) / 2, one: w == 1}
		g.while(m, 1, func() {
			if w == 16 {
				g.op("MOVD", src, s)
				g.op("MOVD", dst, d)
				g.op("SUB", 1, n, left)
				g.while(left, w, func() {
					p.load(s, 0)
					p.store(0, d)
					g.forward([]general{s, d}, w)
				})
			} else {
				p.load(src, 0)
			}
			p.load(lastSrc, 16)
			if w < 16 {
				p.store(0, dst)
			}
			p.store(16, lastDst)
			g.op("ADD", lds, src)
			g.op("ADD", lds, lastSrc)
			g.op("ADD", ldd, dst)
			g.op("ADD", ldd, lastDst)
			g.op("ADD", stepS, lds)
			g.op("ADD", stepD, ldd)
		})
		g.ret()
		g.here(shorter)
	}
}

// transpose writes Kernel.Transpose for even m and n. The code takes tiles of eight rows (a cache line
// of dst) by four columns, and then smaller tiles.
func transpose(g *generator) {
	g.function("Transpose")
	m, n := g.load("m"), g.load("n")
	src, lds, step, dst, ldd := g.load("src"), g.bytes("lds"), g.bytes("step"), g.load("dst"), g.bytes("ldd")
	d, left := g.general(), g.general()
	rows := make([]general, 8)
	for i := range rows {
		rows[i] = g.general()
	}
	for _, height := range []int{8, 6, 4, 2} {
		g.while(m, height, func() {
			for _, r := range rows[:height] {
				g.op("MOVD", src, r)
				g.op("ADD", lds, src)
				g.op("ADD", step, lds)
			}
			g.op("MOVD", dst, d)
			g.op("MOVD", n, left)
			for width := 4; width >= 2; width /= 2 {
				g.while(left, width, func() { g.rectangle(rows[:height], width, d, ldd) })
			}
			g.op("ADD", 8*height, dst)
		})
	}
	g.ret()
}

// rectangle transposes width columns (4 or 2) of rows to d. It moves rows right and d down by width.
func (g *generator) rectangle(rows []general, width int, d, ldd general) {
	pairs := width / 2 // the vectors of a row
	column := part{generator: g, count: len(rows) / 2}
	for i, r := range rows {
		g.loadNext(r, vector(i*pairs), width == 2)
	}
	for j := range pairs {
		even := vector(16 + j*len(rows))
		odd := even + vector(column.count)
		for i := range column.count {
			n, m := vector(2*i*pairs+j), vector((2*i+1)*pairs+j)
			g.trn1(n, m, even+vector(i))
			g.trn2(n, m, odd+vector(i))
		}
		for _, first := range []vector{even, odd} {
			column.store(first, d)
			g.op("ADD", ldd, d)
		}
	}
}
