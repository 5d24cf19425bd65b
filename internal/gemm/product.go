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
	id          int64     // of a product on several threads, else 0
	bias        []float64 // if not nil, C[i,j] becomes tanh(C[i,j] + bias[j]) in the end; then all of C is kept
}

// run computes the product.
func (p *product) run() {
	switch {
	case p.m == 0 || p.n == 0:
	case p.k == 0 || p.alpha == 0:
		p.c.scale(p.beta, 0, p.m, 0, p.n)
		p.finish(0, p.m, 0, p.n)
	default:
		flops := 2 * float64(p.m) * float64(p.n) * float64(p.k)
		if p.c.kept != full {
			flops /= 2
		}
		if team := p.engine.team(flops); team != nil {
			defer team.Release()
			p.parallel(team)
		} else {
			p.serial()
		}
	}
}

// serial computes the product on the caller's goroutine.
func (p *product) serial() {
	w := scratches.Get().(*scratch)
	p.blocks(w)
	scratches.Put(w)
}

// blocks computes all of C: loop 5.
func (p *product) blocks(w *scratch) {
	w.packed = place{} // of another product without workers
	width := p.width()
	for j := 0; j < p.n; j += width {
		p.block(w, 0, p.m, j, min(j+width, p.n))
	}
}

// width returns the number of columns of a block of B: at most NC, or more if blocks have fewer than KC
// rows. Blocks are about equally wide.
func (p *product) width() int {
	b, nr := p.engine.blocks, p.engine.kernel.NR
	return even(p.n, max(b.NC*b.KC/max(p.depth(), 1)/nr, 1)*nr, nr)
}

// depth returns the number of terms of a block of the sum: at most KC.
func (p *product) depth() int { return even(p.k, p.engine.blocks.KC, 8) }

// even cuts n into the fewest ranges of at most most elements and returns their length, equal up to
// step, which divides most.
func even(n, most, step int) int {
	ranges := (n + most - 1) / most
	return roundUp((n+ranges-1)/ranges, step)
}

// panels are a block of a source as the kernel reads it: micro-panels of MR rows of A or NR columns of
// B, packed or in place, panel elements apart.
type panels struct {
	x        []float64
	row, col int // distances between rows and columns; columns of B are contiguous
	panel    int
	form     kernel.Form // of A
}

// block computes rows i0 to i1, columns j0 to j1 of C: loops 4 to 1 of the package comment. i0 is a
// multiple of MR, and j1-j0 is at most width.
func (p *product) block(w *scratch, i0, i1, j0, j1 int) {
	j0, j1 = p.columns(i0, i1, j0, j1)
	if j0 >= j1 {
		return
	}
	mr, nr, mc := p.engine.kernel.MR, p.engine.kernel.NR, p.engine.blocks.MC
	kc := p.depth()
	if p.directA() {
		mc = roundUp(i1-i0, mr) // nothing is packed
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
				p.microPanel(w, a, b, (ir-ic)/mr, (from-j0)/nr, p1-p0, p0 == 0, ir, from, m, to-from)
				if p1 == p.k {
					p.finish(ir, ir+m, from, to)
				}
			}
		}
	}
}

// finish adds the bias to rows i0 to i1, columns j0 to j1 of C and applies tanh.
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

// columns returns the columns of [j0, j1) that C keeps of rows i0 to i1, from a multiple of NR after j0
// on; from >= to if none.
func (p *product) columns(i0, i1, j0, j1 int) (from, to int) {
	from, to = p.c.columns(i0, i1, j0, j1)
	if from >= to {
		return to, to
	}
	return from - (from-j0)%p.engine.kernel.NR, to
}

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
	p.a.pack(&p.engine.kernel, w.buffer, w.a, mr, i0, i1, p0, p1)
	return panels{x: w.a, row: 1, col: mr, panel: mr * (p1 - p0)}
}

// form returns the form of A, read in place: the given one if A is packed.
func (p *product) form(packed kernel.Form) kernel.Form {
	if p.a.Packed {
		return packed
	}
	return kernel.Even
}

// panelsB returns the block B[p0:p1, j0:j1] for the given rows of C. It does not pack again the block
// that w holds.
func (p *product) panelsB(w *scratch, rows, j0, j1, p0, p1 int) panels {
	nr := p.engine.kernel.NR
	if p.directB(rows) {
		return panels{x: p.b.X[p0*p.b.Ld+j0:], row: p.b.Ld, panel: nr}
	}
	if is := (place{p.id, j0, j1, p0, p1}); w.packed != is {
		w.b = alignedBlock(w.b, roundUp(j1-j0, nr)*(p1-p0), p.engine.blocks.NC*p.engine.blocks.KC)
		p.b.pack(&p.engine.kernel, w.buffer, w.b, nr, j0, j1, p0, p1)
		w.packed = is
	}
	return panels{x: w.b, row: nr, panel: nr * (p1 - p0)}
}

// microPanel is loop 1: it adds the product of micro-panel ai of A and the micro-panels of B from bj on
// to the m×n block of C at (i,j), m <= MR. The first block of the sum applies beta. Tiles that C does
// not keep whole go through a buffer.
func (p *product) microPanel(w *scratch, a, b panels, ai, bj, k int, first bool, i, j, m, n int) {
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
	from = min(j+roundUp(from-j, nr), j+n)
	if to < j+n {
		to = max(to-(to-j)%nr, from)
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

// tiles calls the kernel for m rows and n columns of C, from micro-panel bj of B on.
func (p *product) tiles(a, b panels, ai, bj, k int, store kernel.Store, c []float64, ldc, m, n int) {
	at, row := ai*a.panel, a.row
	if a.form == kernel.PackedRows {
		i := ai * p.engine.kernel.MR
		at, row = at-i*(i-1)/2, row-i
	}
	p.engine.kernel.Gemm(m, n, k, p.alpha, unsafe.SliceData(a.x[at:]), row, a.col, a.form,
		unsafe.SliceData(b.x[bj*b.panel:]), b.row, b.panel, store, unsafe.SliceData(c), ldc)
}

// roundUp returns n rounded up to a multiple of step.
func roundUp(n, step int) int { return (n + step - 1) / step * step }
