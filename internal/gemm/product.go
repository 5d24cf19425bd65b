package gemm

import (
	"unsafe"

	"blskernel/internal/kernel"
)

// A product is one call: C = alpha·A·B + beta·C with C m×n and a sum of k terms.
type product struct {
	engine      *Engine
	m, n, k     int
	alpha, beta float64
	a, b        source
	c           sink
	bias        []float64 // C[i,j] becomes tanh(C[i,j] + bias[j]) in the end, not if nil; only where all of C is kept
}

// run computes the product.
func (p *product) run() {
	if raceEnabled {
		p.announce()
	}
	switch {
	case p.m == 0 || p.n == 0:
	case p.k == 0 || p.alpha == 0:
		p.c.scale(p.beta, 0, p.m, 0, p.n)
		p.finish(0, p.m, 0, p.n)
	default:
		if workers := p.engine.workersFor(2 * float64(p.m) * float64(p.n) * float64(p.k)); workers > 1 {
			p.parallel(workers)
		} else {
			p.serial()
		}
	}
}

// serial computes the product in the caller's goroutine.
func (p *product) serial() {
	w := scratches.Get().(*scratch)
	p.blocks(w)
	w.release()
}

// blocks computes all of C: loop 5.
func (p *product) blocks(w *scratch) {
	w.packed = place{}
	width := p.width()
	for j := 0; j < p.n; j += width {
		p.block(w, 0, p.m, j, min(j+width, p.n))
	}
}

// width returns the number of columns of a block of B: NC or less, so that all blocks are about as
// wide, and more if there are fewer than KC rows, so that blocks that A passes by are as large.
func (p *product) width() int {
	b, nr := p.engine.blocks, p.engine.kernel.NR
	return even(p.n, max(b.NC*b.KC/max(p.depth(), 1)/nr, 1)*nr, nr)
}

// depth returns the number of steps of the sum of a block: KC or less.
func (p *product) depth() int { return even(p.k, p.engine.blocks.KC, 8) }

// even divides n into as few parts of at most most elements as possible and returns the size of the
// parts: equal, up to step, which divides most.
func even(n, most, step int) int {
	parts := (n + most - 1) / most
	return roundUp((n+parts-1)/parts, step)
}

// panels are a block of a source as the kernel reads it, in micro-panels: where they are, packed or in
// the matrix, and the distances in it. Micro-panels of A are panel apart for every MR rows, those of B
// for every NR columns.
type panels struct {
	x        []float64
	row, col int // A: between rows and columns. B: row alone, columns being contiguous
	panel    int
	form     kernel.Form // of A
}

// block computes rows i0 to i1 of the columns j0 to j1 of C: loops 4 to 1 of the package comment. i0 is
// a multiple of MR and j0 of NR, and j1-j0 <= NC.
func (p *product) block(w *scratch, i0, i1, j0, j1 int) {
	j0, j1 = p.columns(i0, i1, j0, j1)
	if j0 >= j1 {
		return
	}
	mr, nr, mc := p.engine.kernel.MR, p.engine.kernel.NR, p.engine.blocks.MC
	kc := p.depth()
	if p.directA() {
		mc = roundUp(i1-i0, mr) // nothing is packed that would have to fit
	}
	for p0 := 0; p0 < p.k; p0 += kc { // loop 4
		p1 := min(p0+kc, p.k)
		b := p.panelsB(w, i1-i0, j0, j1, p0, p1)
		for ic := i0; ic < i1; ic += mc { // loop 3
			end := min(ic+mc, i1)
			if from, to := p.columns(ic, end, j0, j1); from >= to {
				continue
			}
			a := p.panelsA(w, ic, end, p0, p1)
			for ir := ic; ir < end; ir += mr { // loop 2
				m := min(mr, end-ir)
				from, to := p.columns(ir, ir+m, j0, j1)
				if from >= to {
					continue
				}
				p.strip(w, a, b, (ir-ic)/mr, (from-j0)/nr, p1-p0, p0 == 0, ir, from, m, to-from)
				if p1 == p.k {
					p.finish(ir, ir+m, from, to)
				}
			}
		}
	}
}

// finish applies what comes after the sum to rows i0 to i1, columns j0 to j1 of C.
func (p *product) finish(i0, i1, j0, j1 int) {
	if p.bias == nil {
		return
	}
	bias := p.bias[j0:j1]
	for i := i0; i < i1; i++ {
		c, _ := p.c.row(i, j0, j1)
		for j, b := range bias {
			c[j] += b
		}
		p.engine.kernel.Tanh(c, c)
	}
}

// columns returns the range of columns that holds what C keeps of rows i0 to i1 within the columns j0
// to j1, begun at a whole tile. It is empty, from >= to, where nothing is kept.
func (p *product) columns(i0, i1, j0, j1 int) (from, to int) {
	from, to = p.c.columns(i0, i1, j0, j1)
	if from >= to {
		return to, to
	}
	return from - from%p.engine.kernel.NR, to
}

// directA reports whether A is read where it lies: if it is dense and strips of it are whole cache
// lines, or so few columns of C that a copy is not worth it. A strip of A is read once for each NR
// columns, from the second level of cache on; its packed copy would be, too, and would cost a pass
// more.
func (p *product) directA() bool {
	return p.a.layout == byRows || p.a.layout == byCols && (8*p.engine.kernel.MR%line == 0 || p.n <= fewColumns)
}

// directB reports whether B is read where it lies, for so many rows of C: if rows of B are contiguous
// and either few strips would share the cost of a copy, or all of it stays in the second level of
// cache, where rows that are a multiple of a page apart would displace each other. If a row of a panel
// is one line, there is less time to fetch it, and a copy pays earlier.
func (p *product) directB(rows int) bool {
	if p.b.layout != byCols || p.b.Packed || p.b.diag != nil {
		return false
	}
	room := p.engine.caches.L2 / 2
	if 8*p.engine.kernel.NR <= line {
		room /= 4
	}
	return rows <= fewStrips*p.engine.kernel.MR || 8*p.k*p.n <= room && 8*p.b.Ld%page != 0
}

// A cache line, and a page of memory, in bytes.
const (
	line = 64
	page = 4096
)

// fewColumns is the number of columns of C for which a strip of A is not worth packing.
const fewColumns = 128

// fewStrips is the number of strips of C for which a block of B is not worth packing.
const fewStrips = 4

// panelsA returns the block A[i0:i1, p0:p1].
func (p *product) panelsA(w *scratch, i0, i1, p0, p1 int) panels {
	mr := p.engine.kernel.MR
	if p.directA() {
		if p.a.layout == byCols {
			a := p.a.Sub(p0, i0)
			return panels{x: a.X, row: 1, col: a.Ld, panel: mr, form: p.form(kernel.PackedColumns)}
		}
		a := p.a.Sub(i0, p0)
		return panels{x: a.X, row: a.Ld, col: 1, panel: mr * a.Ld, form: p.form(kernel.PackedRows)}
	}
	if at, row, col, ok := p.a.beside(i0, i1, p0, p1); ok && 8*mr%line == 0 {
		return panels{x: p.a.X[at:], row: row, col: col, panel: mr * row}
	}
	w.a = aligned(w.a, roundUp(i1-i0, mr)*(p1-p0))
	p.a.pack(&p.engine.kernel, w.room, w.a, mr, i0, i1, p0, p1)
	return panels{x: w.a, row: 1, col: mr, panel: mr * (p1 - p0)}
}

// form is the form of A, read in place, if it is the given one where A is packed.
func (p *product) form(packed kernel.Form) kernel.Form {
	if p.a.Packed {
		return packed
	}
	return kernel.Even
}

// panelsB returns the block B[p0:p1, j0:j1], for so many rows of C. What w has packed last for the same
// product is not packed again.
func (p *product) panelsB(w *scratch, rows, j0, j1, p0, p1 int) panels {
	nr := p.engine.kernel.NR
	if p.directB(rows) {
		return panels{x: p.b.X[p0*p.b.Ld+j0:], row: p.b.Ld, panel: nr}
	}
	if is := (place{j0, j1, p0, p1}); w.packed != is {
		w.b = alignedBlock(w.b, roundUp(j1-j0, nr)*(p1-p0), p.engine.blocks.NC*p.engine.blocks.KC)
		p.b.pack(&p.engine.kernel, w.room, w.b, nr, j0, j1, p0, p1)
		w.packed = is
	}
	return panels{x: w.b, row: nr, panel: nr * (p1 - p0)}
}

// strip adds the product of micro-panel ai of A and the micro-panels of B from bj on to the m×n strip
// of C at (i,j): loop 1. first says that it is the first block of the sum, to which beta belongs. Tiles
// of which not all is kept go through a buffer.
func (p *product) strip(w *scratch, a, b panels, ai, bj, k int, first bool, i, j, m, n int) {
	store := kernel.Add
	switch {
	case p.c.Packed:
		store = kernel.AddPacked // also to zeros
	case first && p.beta == 0:
		store = kernel.Overwrite
	}
	if first && store != kernel.Overwrite {
		p.c.scale(p.beta, i, i+m, j, j+n)
	}
	nr := p.engine.kernel.NR
	from, to := p.c.whole(i, m, j, j+n)
	from = min(roundUp(from, nr), j+n)
	if to < j+n {
		to = max(to-to%nr, from)
	}
	through := func(from, to int) {
		if from >= to {
			return
		}
		w.c = aligned(w.c, m*(to-from))
		if store != kernel.Overwrite {
			p.c.load(w.c, i, m, from, to)
		}
		p.tiles(a, b, ai, bj+(from-j)/nr, k, min(store, kernel.Add), w.c, to-from, m, to-from)
		p.c.store(w.c, i, m, from, to)
	}
	through(j, from)
	if from < to {
		c := p.c.Sub(i, from)
		p.tiles(a, b, ai, bj+(from-j)/nr, k, store, c.X, c.Ld, m, to-from)
	}
	through(to, j+n)
}

// tiles calls the kernel for n columns of a strip, from micro-panel bj of B on.
func (p *product) tiles(a, b panels, ai, bj, k int, store kernel.Store, c []float64, ldc, m, n int) {
	at, row := ai*a.panel, a.row
	if a.form == kernel.PackedRows {
		i := ai * p.engine.kernel.MR
		at, row = at-i*(i-1)/2, row-i
	}
	p.engine.kernel.Gemm(m, n, k, p.alpha, unsafe.SliceData(a.x[at:]), row, a.col, a.form,
		unsafe.SliceData(b.x[bj*b.panel:]), b.row, b.panel, store, unsafe.SliceData(c), ldc)
}

// roundUp returns the least multiple of step that is not below n.
func roundUp(n, step int) int { return (n + step - 1) / step * step }
