package gemm

import (
	"unsafe"

	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// A product is one call: C = alpha·A·B + beta·C, where C is m×n and each sum has k terms.
type product struct {
	engine      *Engine
	m, n, k     int
	alpha, beta float64
	a, b        source
	c           sink
	bias        []float64 // if not nil, C[i,j] becomes tanh(C[i,j] + bias[j]) at the end; all of C must be kept
	id          int64     // of a product on several threads, else 0
	shared      panels    // A[ic, pc], packed by the threads together; x is nil if there is none
	sharedFrom  int       // the ic of shared
}

// A cell is a part of a product: rows [i0, i1) and columns [j0, j1) of C, terms [p0, p1) of the sum.
type cell struct{ i0, i1, j0, j1, p0, p1 int }

func (p *product) run() {
	switch {
	case p.m == 0 || p.n == 0:
	case p.k == 0 || p.alpha == 0:
		p.c.scale(p.beta, 0, p.m, 0, p.n)
		p.finish(0, p.m, 0, p.n)
	default:
		flops := 2 * float64(p.m) * float64(p.n) * float64(p.k)
		if p.c.kept != blas.All {
			flops /= 2
		}
		if team := p.engine.pool.Acquire(flops / p.engine.kernel.Speed); team != nil {
			p.share(team)
		} else {
			w := workspaces.Get().(*workspace)
			p.on(w)
			workspaces.Put(w)
		}
	}
}

// on computes the product on the caller's goroutine, with w as workspace.
func (p *product) on(w *workspace) {
	w.held = place{} // w may hold a block of another product
	p.loops(w, cell{0, p.m, 0, p.n, 0, p.k})
}

// loops adds a cell of the product to C with the five loops of the package comment.
func (p *product) loops(w *workspace, x cell) {
	mr, nr := p.engine.kernel.MR, p.engine.kernel.NR
	mc, kc, nc := p.height(), p.depth(), p.width()
	for ic := x.i0; ic < x.i1; ic += mc { // loop 5
		i1 := min(ic+mc, x.i1)
		for pc := x.p0; pc < x.p1; pc += kc { // loop 4
			p1 := min(pc+kc, x.p1)
			a := p.panelsA(w, ic, i1, pc, p1)
			for jc := x.j0; jc < x.j1; jc += nc { // loop 3
				j0, j1 := p.columns(ic, i1, jc, min(jc+nc, x.j1))
				if j0 >= j1 {
					continue
				}
				b := p.panelsB(w, i1-ic, j0, j1, pc, p1)
				for ir := ic; ir < i1; ir += mr { // loop 2
					end := min(ir+mr, i1)
					from, to := p.columns(ir, end, j0, j1)
					if from >= to {
						continue
					}
					p.strip(w, a, b, (ir-ic)/mr, (from-j0)/nr, p1-pc, pc == 0, ir, from, end-ir, to-from) // loop 1
					if p1 == p.k {
						p.finish(ir, end, from, to)
					}
				}
			}
		}
	}
}

// height returns MC for this product, chosen so that blocks of A are of about equal height.
func (p *product) height() int { return even(p.m, p.engine.blocks.MC, p.engine.kernel.MR) }

func (p *product) depth() int { return even(p.k, p.engine.blocks.KC, 8) }

// width returns NC for this product, chosen so that blocks of B are of about equal width. NC is larger
// if blocks have fewer than KC rows.
func (p *product) width() int {
	b, nr := p.engine.blocks, p.engine.kernel.NR
	return even(p.n, max(b.NC*b.KC/p.depth()/nr, 1)*nr, nr)
}

// even cuts n into the fewest ranges of at most limit elements and returns their length, a multiple of
// step. The last range may be shorter. limit must be a multiple of step.
func even(n, limit, step int) int {
	ranges := (n + limit - 1) / limit
	return roundUp((n+ranges-1)/ranges, step)
}

// columns returns the columns of [j0, j1) that C keeps in the rows [i0, i1), or from >= to if there are
// none. from is rounded down to j0 plus a multiple of NR.
func (p *product) columns(i0, i1, j0, j1 int) (from, to int) {
	from, to = p.c.columns(i0, i1, j0, j1)
	if from >= to {
		return to, to
	}
	return from - (from-j0)%p.engine.kernel.NR, to
}

// panels holds a block of a source as the kernel reads it. Its micro-panels have MR rows of A or NR
// columns of B, packed or in place.
type panels struct {
	x        []float64
	row, col int // distances between rows and columns; columns of B are contiguous
	panel    int // distance between micro-panels
}

// panelsA returns the block A[i0:i1, p0:p1], packed in w unless it is shared or read in place.
func (p *product) panelsA(w *workspace, i0, i1, p0, p1 int) panels {
	mr := p.engine.kernel.MR
	switch {
	case p.shared.x != nil:
		a := p.shared
		a.x = a.x[(i0-p.sharedFrom)/mr*a.panel:]
		return a
	case !p.directA():
		w.a = aligned(w.a, roundUp(i1-i0, mr)*(p1-p0))
		p.a.pack(&p.engine.kernel, w.a, mr, i0, i1, p0, p1)
		return p.packedA(w.a, p1-p0)
	case p.a.layout == byCols:
		a := p.a.Sub(p0, i0)
		return panels{x: a.X, row: 1, col: a.Ld, panel: mr}
	default:
		a := p.a.Sub(i0, p0)
		return panels{x: a.X, row: a.Ld, col: 1, panel: mr * a.Ld}
	}
}

// packedA returns x as packed micro-panels of A with k columns.
func (p *product) packedA(x []float64, k int) panels {
	mr := p.engine.kernel.MR
	return panels{x: x, row: 1, col: mr, panel: mr * k}
}

// panelsB returns the block B[p0:p1, j0:j1], for use by the given number of rows of C. If w holds this
// block, it is not packed again.
func (p *product) panelsB(w *workspace, rows, j0, j1, p0, p1 int) panels {
	nr := p.engine.kernel.NR
	if p.directB(rows) {
		return panels{x: p.b.X[p0*p.b.Ld+j0:], row: p.b.Ld, panel: nr}
	}
	if is := (place{p.id, j0, j1, p0, p1}); w.held != is {
		w.b = aligned(w.b, roundUp(j1-j0, nr)*(p1-p0))
		p.b.pack(&p.engine.kernel, w.b, nr, j0, j1, p0, p1)
		w.held = is
	}
	return panels{x: w.b, row: nr, panel: nr * (p1 - p0)}
}

// inPlace reports whether the kernel reads operand s in place. length is the number of rows of s, w the
// number of rows of a micro-panel, and uses how often the kernel reads a micro-panel. Packed, symmetric
// and scaled operands are copied. Any other operand is copied if the uses repay the copy and one of two
// holds: s exceeds half of L2, or its rows are a multiple of a page apart and evict each other. The
// limit is an eighth of L2 if each step of a micro-panel is contiguous and at most a cache line: in
// place, the kernel would load whole lines to use parts. If the sum runs along rows that do not evict
// each other, it takes twice as many uses to repay the copy: in place each row is a stream, and the
// copy transposes.
func (p *product) inPlace(s *source, w, length, uses int) bool {
	if s.layout > byCols || s.Packed || s.diag != nil {
		return false
	}
	cache := p.engine.caches.L2Share() / 2
	if s.layout == byCols && 8*w <= line {
		cache /= 4
	}
	few, apart := fewUses, 8*s.Ld%page != 0
	if s.layout == byRows && apart {
		few *= 2
	}
	return uses <= few || 8*p.k*length <= cache && apart
}

// directA reports whether the kernel reads A in place.
func (p *product) directA() bool {
	nr := p.engine.kernel.NR
	return p.inPlace(&p.a, p.engine.kernel.MR, p.m, (p.n+nr-1)/nr)
}

// directB is directA for B, used by the given number of rows of C. The rows of B must be contiguous.
func (p *product) directB(rows int) bool {
	mr := p.engine.kernel.MR
	return p.b.layout == byCols && p.inPlace(&p.b, p.engine.kernel.NR, p.n, (rows+mr-1)/mr)
}

// fewUses is the largest number of uses of a micro-panel that does not repay a copy.
const fewUses = 4

// line and page are the sizes of a cache line and of a page of memory, in bytes.
const (
	line = int(kernel.Align)
	page = 4096
)

// strip is loop 1. It multiplies micro-panel ai of A by the micro-panels of B from bj on, and adds
// alpha times the product to the m×n block of C at (i,j), m <= MR. If first is set, the terms are the
// first block of the sum, and strip also applies beta. Tiles that C keeps only in part use a buffer.
func (p *product) strip(w *workspace, a, b panels, ai, bj, k int, first bool, i, j, m, n int) {
	store := kernel.Add
	switch {
	case p.c.Packed:
		store = kernel.AddPacked // if beta = 0, to zeros
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
		dense := store
		if store == kernel.AddPacked {
			dense = kernel.Add
		}
		p.tiles(a, b, ai, bj+(from-j)/nr, k, dense, w.c, to-from, m, to-from)
		p.c.store(w.c, i, m, from, to)
	}
	through(j, from)
	if from < to {
		c := p.c.Sub(i, from)
		p.tiles(a, b, ai, bj+(from-j)/nr, k, store, c.X, c.Ld, m, to-from)
	}
	through(to, j+n)
}

// tiles calls the kernel for m rows and n columns of C: micro-panel ai of A times B from panel bj on.
func (p *product) tiles(a, b panels, ai, bj, k int, store kernel.Store, c []float64, ldc, m, n int) {
	p.engine.kernel.Gemm(m, n, k, p.alpha, unsafe.SliceData(a.x[ai*a.panel:]), a.row, a.col,
		unsafe.SliceData(b.x[bj*b.panel:]), b.row, b.panel, store, unsafe.SliceData(c), ldc)
}

// finish adds the bias to C[i0:i1, j0:j1] and applies tanh, if the product has a bias.
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

func roundUp(n, step int) int { return (n + step - 1) / step * step }
