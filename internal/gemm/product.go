package gemm

import "unsafe"

// A product is one call: C = alpha·A·B + beta·C with C m×n and a sum of k terms.
type product struct {
	engine
	m, n, k     int
	alpha, beta float64
	a, b        source
	c           sink
}

// run computes the product by the way that suits its shape.
func (p *product) run() {
	switch {
	case p.m == 0 || p.n == 0:
	case p.k == 0 || p.alpha == 0:
		p.c.scale(p.beta, 0, p.m, 0, p.n)
	case p.small():
		p.direct()
	default:
		p.blocked()
	}
}

// block computes rows i0 to i1 of the columns j0 to j1 of C: loops 4 to 1 of the package comment. j0
// is a multiple of NR, and j1-j0 <= NC.
func (p *product) block(w *scratch, i0, i1, j0, j1 int) {
	j0, j1 = p.columns(i0, i1, j0, j1)
	if j0 >= j1 {
		return
	}
	w.grow(p, min(i1-i0, p.MC), j1-j0)
	for p0 := 0; p0 < p.k; p0 += p.KC { // loop 4
		p1 := min(p0+p.KC, p.k)
		p.b.pack(w.b, p.NR, j0, j1, p0, p1)
		for ic := i0; ic < i1; ic += p.MC { // loop 3
			end := min(ic+p.MC, i1)
			if from, to := p.columns(ic, end, j0, j1); from >= to {
				continue
			}
			p.a.pack(w.a, p.MR, ic, end, p0, p1)
			scal(p.alpha, w.a[:roundUp(end-ic, p.MR)*(p1-p0)])
			for ir := ic; ir < end; ir += p.MR { // loop 2
				a := w.a[(ir-ic)*(p1-p0):]
				m := min(p.MR, end-ir)
				from, to := p.columns(ir, ir+m, j0, j1)
				if p0 == 0 {
					p.c.scale(p.beta, ir, ir+m, from, to)
				}
				for jr := from; jr < to; jr += p.NR { // loop 1
					b := w.b[(jr-j0)*(p1-p0):]
					n := min(p.NR, j1-jr)
					p.micro(w, a, b, p1-p0, ir, jr, m, n)
				}
			}
		}
	}
}

// columns returns the range of columns that holds what C keeps of rows i0 to i1 within the columns j0 to
// j1, begun at a whole tile. It is empty, from >= to, where nothing is kept.
func (p *product) columns(i0, i1, j0, j1 int) (from, to int) {
	from, to = p.c.columns(i0, i1, j0, j1)
	if from >= to {
		return to, to
	}
	return from - from%p.NR, to
}

// micro adds the product of two micro-panels to the m×n tile of C at (i,j), in place if C has the
// whole tile and else through a buffer.
func (p *product) micro(w *scratch, a, b []float64, kc, i, j, m, n int) {
	if m == p.MR && n == p.NR {
		if c := p.c.tile(i, j, m, n); c != nil {
			p.Gemm(kc, unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(c), p.c.ld)
			return
		}
	}
	clear(w.tile)
	p.Gemm(kc, unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(w.tile), p.NR)
	p.c.add(w.tile, p.NR, i, j, m, n)
}

// roundUp returns the least multiple of step that is not below n.
func roundUp(n, step int) int { return (n + step - 1) / step * step }
