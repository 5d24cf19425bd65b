package neon

// A part is one step of a loop over rows: count vectors, the last with one element if one is set. It
// begins disp bytes after the pointers. A count of 0 stands for a vector of zeros, not in memory.
type part struct {
	*generator
	count int
	one   bool
	disp  int
}

// parts writes loops over n elements of the rows at pointers; body writes the code for one part. A part
// has unroll vectors, then two, then one, then one element. Vector i of a row is i vectors after its
// pointer. The loops overwrite n and the pointers.
func (g *generator) parts(unroll int, n general, pointers []general, body func(p part)) {
	for _, count := range []int{unroll, 2, 1} {
		g.while(n, 2*count, func() {
			body(part{generator: g, count: count})
			g.forward(pointers, 2*count)
		})
	}
	end := g.unique("end")
	g.jumpIf(n, equal, 0, end)
	body(part{generator: g, count: 1, one: true})
	g.here(end)
}

// eights writes a loop over n elements of the rows at pointers, eight at a time. body writes the code
// for vectors j and j+1 of the four or, if fewer than eight elements are left, for vector j alone. The
// code overwrites n and the pointers.
func (g *generator) eights(n general, pointers []general, body func(j int, p part)) {
	g.while(n, 8, func() {
		for j := 0; j < 4; j += 2 {
			body(j, part{g, 2, false, 16 * j})
		}
		g.forward(pointers, 8)
	})
	end := g.unique("end")
	g.jumpIf(n, equal, 0, end)
	for j := range 4 {
		one, none, next := g.unique("one"), g.unique("none"), g.unique("next")
		g.jumpIf(n, less, 2, one)
		body(j, part{g, 1, false, 16 * j})
		g.jump(next)
		g.here(one)
		g.jumpIf(n, atMost, 0, none)
		body(j, part{g, 1, true, 16 * j})
		g.jump(next)
		g.here(none)
		body(j, part{generator: g})
		g.here(next)
		g.op("SUB", 2, n)
	}
	g.here(end)
}

func (g *generator) forward(pointers []general, n int) {
	for _, p := range pointers {
		g.op("ADD", 8*n, p)
	}
}

// load loads the part at base into the registers from first on. A single element is followed by +0.
func (p part) load(base general, first vector) {
	if p.count == 0 {
		p.zero(first)
	}
	p.each(func(i int, m memory) { p.loadPair(m, first+vector(i), first+vector(i+1)) },
		func(i int, m memory) { p.loadVector(m, first+vector(i)) },
		func(i int, m memory) { p.loadOne(m, first+vector(i)) }, base)
}

// store stores the registers from first on to the part at base.
func (p part) store(first vector, base general) {
	p.each(func(i int, m memory) { p.storePair(first+vector(i), first+vector(i+1), m) },
		func(i int, m memory) { p.storeVector(first+vector(i), m) },
		func(i int, m memory) { p.storeOne(first+vector(i), m) }, base)
}

// each calls pair for every two vectors, single for a vector left, and one for an element left.
func (p part) each(pair, single, one func(i int, m memory), base general) {
	i, whole := 0, p.count
	if p.one {
		whole--
	}
	for ; i+1 < whole; i += 2 {
		pair(i, at(base, p.disp+16*i))
	}
	if i < whole {
		single(i, at(base, p.disp+16*i))
		i++
	}
	if p.one {
		one(i, at(base, p.disp+16*i))
	}
}
