package gemm

// maxDirect is the largest dimension of products that are computed without packing. Above it the
// packed way is faster in spite of the copies. See BenchmarkThreshold.
const maxDirect = 6

// small reports whether the product is one for direct.
func (p *product) small() bool {
	return max(p.m, p.n, p.k) <= maxDirect && p.a.layout <= byCols && p.b.layout <= byCols
}

// direct computes a product of dense matrices by dot products, four columns of C at a time, in
// place. For each element the order of the sum is that of the blocked way with k <= KC.
func (p *product) direct() {
	ai, ap := p.a.strides()
	bj, bp := p.b.strides()
	for i := range p.m {
		c, from := p.c.row(i, 0, p.n)
		scal(p.beta, c)
		for ; len(c) >= 4; from, c = from+4, c[4:] {
			var s0, s1, s2, s3 float64
			ia, ib := i*ai, from*bj
			for range p.k {
				v := p.alpha * p.a.x[ia]
				s0 += v * p.b.x[ib]
				s1 += v * p.b.x[ib+bj]
				s2 += v * p.b.x[ib+2*bj]
				s3 += v * p.b.x[ib+3*bj]
				ia, ib = ia+ap, ib+bp
			}
			c[0] += s0
			c[1] += s1
			c[2] += s2
			c[3] += s3
		}
		for x := range c {
			var s float64
			ia, ib := i*ai, (from+x)*bj
			for range p.k {
				s += p.alpha * p.a.x[ia] * p.b.x[ib]
				ia, ib = ia+ap, ib+bp
			}
			c[x] += s
		}
	}
}

// strides returns the distances in storage between the rows and between the columns of a dense source.
func (s *source) strides() (row, col int) {
	if s.layout == byRows {
		return s.ld, 1
	}
	return 1, s.ld
}
