package neon

// search writes the kernels of a search for a pivot: absMax finds the element of largest magnitude, and
// addAbs adds the magnitudes of a row to the sums of columns.
func search(g *generator) {
	absMax(g)
	addAbs(g)
}

type searcher struct {
	*generator
	n, x        general
	best, where vector // the element of largest magnitude, and the beginning of the first block with it
}

// absMax writes Kernel.AbsMax. Keeping an index for each element would cost half as much as the
// comparison. Each half of a register keeps its element of largest magnitude and the beginning of the
// first block with it. If both halves have the maximum, the earlier block is the first, and a search
// from there finds the index. The last block ends with the vector and overlaps the block before. If it
// is the first with the maximum, the maximum is not in the overlap. Short vectors have short blocks.
//
// A comparison selects the larger element: FMAX gives NaN, and so does FMAXNM for a signaling NaN.
func absMax(g *generator) {
	g.function("AbsMax")
	s := &searcher{g, g.load("n"), g.load("x"), 30, 31}
	g.zero(s.best, s.where)
	place := g.unique("place")
	for _, size := range []int{32, 8, 2, 1} {
		smaller := g.unique("smaller")
		if size > 1 {
			g.jumpIf(s.n, less, size, smaller)
		}
		s.blocks(size)
		g.jump(place)
		g.here(smaller)
	}
	g.here(place)
	s.place()
	g.ret()
}

// blocks writes the loop over x in blocks of size elements, which sets best and where.
func (s *searcher) blocks(size int) {
	i, last, at := s.general(), s.general(), s.general()
	s.op("MOVD", "ZR", i)
	s.op("SUB", size, s.n, last)
	block, end := s.unique("block"), s.unique("end")
	s.here(block)
	s.op("ADD", i.shifted(3), s.x, at)
	p := part{generator: s.generator, count: max(size/2, 1), one: size == 1}
	p.load(at, 0)
	s.maximum(p.count)
	mask, index := vector(28), vector(29)
	s.facgt(0, s.best, mask)
	s.bit(0, mask, s.best)
	s.op("VDUP", i, index)
	s.bit(index, mask, s.where)
	s.jumpIf(i, equal, last, end)
	s.op("ADD", size, i)
	s.op("CMP", last, i)
	s.op("CSEL", "GT", last, i, i)
	s.jump(block)
	s.here(end)
	s.release(i, last, at)
}

// maximum sets each half of register 0 to the element of largest magnitude in this half of registers 0
// to count-1. It uses two chains, in which zero replaces NaN. If count is 1, it does nothing.
func (s *searcher) maximum(count int) {
	if count == 1 {
		return
	}
	zero, mask := vector(26), vector(27)
	s.zero(zero)
	for v := range vector(count) {
		if v < 2 {
			s.facgt(v, zero, mask)
			s.and(v, mask, v)
			continue
		}
		s.facgt(v, v%2, mask)
		s.bit(v, mask, v%2)
	}
	s.facgt(1, 0, mask)
	s.bit(1, mask, 0)
}

// place writes the end of AbsMax: it returns the larger element of best, and the index of the first
// element of x with that magnitude. A magnitude of zero has the index zero, even if x begins with NaN.
func (s *searcher) place() {
	size, size1, at, at1 := s.general(), s.general(), s.general(), s.general()
	s.op("VMOV", s.best.element(0), size)
	s.op("VMOV", s.best.element(1), size1)
	s.op("VMOV", s.where.element(0), at)
	s.op("VMOV", s.where.element(1), at1)
	s.op("LSL", 1, size, size) // without the sign
	s.op("LSL", 1, size1, size1)
	s.comment("The index of the half with the smaller element becomes n.")
	s.op("CMP", size, size1)
	s.op("CSEL", "LO", s.n, at1, at1)
	s.op("CSEL", "HI", s.n, at, at)
	s.op("CSEL", "HI", size1, size, size)
	s.op("CMP", at, at1)
	s.op("CSEL", "LT", at1, at, at)
	found, search := s.unique("found"), s.unique("search")
	s.jumpIf(size, equal, 0, found)
	s.op("ADD", at.shifted(3), s.x, at1)
	s.here(search)
	s.op("MOVD.P", "8("+at1.String()+")", s.n)
	s.op("CMP", s.n.shifted(1), size)
	s.op("BNE", search)
	s.op("SUB", s.x, at1, at)
	s.op("LSR", 3, at, at)
	s.op("SUB", 1, at)
	s.here(found)
	s.op("LSR", 1, size, size)
	s.op("MOVD", at, s.argument("at"))
	s.op("MOVD", size, s.argument("size"))
}

// addAbs writes Kernel.AddAbs with nine sums. Eight sums take sixteen elements at a time. Then the
// first two take four elements at a time, and the ninth takes the rest.
func addAbs(g *generator) {
	g.function("AddAbs")
	const rest, v, w = vector(unroll), vector(16), vector(24)
	n, x, y := g.load("n"), g.load("x"), g.load("y")
	g.zeros(unroll + 1) // and rest
	g.parts(unroll, n, []general{x, y}, func(p part) {
		sums := vector(0)
		if p.count == 1 {
			sums = rest
		}
		p.load(x, v)
		p.load(y, w)
		for i := range vector(p.count) {
			g.fabs(v+i, v+i)
			g.fadd(w+i, v+i, w+i)
			g.fadd(sums+i, v+i, sums+i)
		}
		p.store(w, y)
	})
	for _, width := range []vector{4, 2} {
		for i := range width {
			g.fadd(i, i+width, i)
		}
	}
	g.fadd(0, rest, 0)
	g.faddp(0, 1, 0)
	g.faddpScalar(0, 0)
	g.result("ret", 0)
	g.ret()
}
