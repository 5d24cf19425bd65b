package blas12

// A transposedProduct is alpha*Aᵀ*x in pieces of rows. Each piece contributes to the whole result.
type transposedProduct struct {
	*Routines
	m, n  int
	alpha float64
	a     []float64
	lda   int
	x     []float64
	x0    int // where element 0 of x is
	incX  int
	sums  []float64 // by piece, n numbers each
}

// addTo adds the product to y, the contributions of the pieces in their order.
func (p *transposedProduct) addTo(y []float64) {
	count := pieces(p.m)
	b := take(&piecewise, count*p.n)
	p.sums = b.v
	if p.share == nil {
		p.some(0, count)
	} else {
		own := *p // so that p itself stays on the caller's stack
		own.share(count, nanoseconds(p.m*p.n/count), func(from, to int) { own.some(from, to) })
	}
	for i := range count {
		p.kernel.Axpy(p.n, 1, &p.sums[i*p.n], &y[0])
	}
	piecewise.Put(b)
}

// some computes the contributions of the pieces from to to.
func (p *transposedProduct) some(from, to int) {
	count := pieces(p.m)
	for i := from; i < to; i++ {
		first, end := i*p.m/count, (i+1)*p.m/count
		p.kernel.GemvT(end-first, p.n, p.alpha, &p.a[first*p.lda], p.lda, &p.x[p.x0+first*p.incX], p.incX, 0, &p.sums[i*p.n])
	}
}
