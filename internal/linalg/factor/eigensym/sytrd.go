package eigensym

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// panelRows is the number of rows that Sytrd reduces before it updates the rest, as in LAPACK.
const panelRows = 32

// A panel holds the rows of a symmetric matrix that are being reduced. The trailing matrix is
// a - Σ (v wᵀ + w vᵀ), summed over the reflections I - tau v vᵀ of the panel so far. v and w alternate
// in the rows of pairs, so that one product covers all v and all w.
type panel struct {
	factor.Backend
	n          int
	a, pairs   block.Matrix
	multiplier []float64
}

// Sytrd reduces the symmetric n×n dense A, whose upper triangle is in a, to the tridiagonal T = QᵀAQ
// with diagonal d and subdiagonal e. Q is the product of n-1 reflections I - tau[i] v vᵀ; v, with its
// leading one, overwrites row i right of the diagonal. The strictly lower triangle is not touched.
//
// It takes 4n³/3 flops, half of them in passes over the trailing triangle, one per row. In all, the
// passes read n³/6 numbers. If the triangle exceeds the cache, these reads limit the speed.
//
// (Dongarra, Hammarling and Sorensen, J. Comput. Appl. Math. 27, 1989; LAPACK: dsytrd, dlatrd.)
func Sytrd(bk factor.Backend, n int, a block.Matrix, d, e, tau []float64) {
	rows := 2 * min(panelRows, n)
	w := factor.Acquire()
	defer w.Release()
	p := panel{bk, n, a, w.Matrix(rows, n), w.Take(rows)}
	for i := 0; i < n; i += panelRows {
		end := min(i+panelRows, n)
		for r := i; r < end; r++ {
			p.update(r, 2*(r-i))
			d[r] = a.X[a.Row(r)+r]
			if r < n-1 {
				e[r], tau[r] = p.reflect(r, 2*(r-i))
			}
		}
		if rest := n - end; rest > 0 {
			v, w, c := p.pairs.Sub(0, end), p.pairs.Sub(1, end), a.Sub(end, end)
			bk.Dsyr2k(blas.Upper, blas.Trans, rest, panelRows, -1, v.X, 2*v.Ld, w.X, 2*w.Ld, 1, c.X, c.Ld)
		}
	}
}

// update applies the reflections in the first k rows of pairs to row r.
func (p *panel) update(r, k int) {
	if k == 0 {
		return
	}
	for q := range k {
		p.multiplier[q^1] = p.pairs.X[p.pairs.Row(q)+r]
	}
	p.subtract(1, k, r, p.a.Elements(r, r, p.n))
}

// subtract computes y -= alpha·Σ multiplier[q]·pairs[q, j:], over the first k rows q of pairs.
func (p *panel) subtract(alpha float64, k, j int, y []float64) {
	x := p.pairs.Sub(0, j)
	p.Dgemv(blas.Trans, k, len(y), -alpha, x.X, x.Ld, p.multiplier, 1, 1, y, 1)
}

// reflect computes the reflection that leaves row r with one off-diagonal element, e, and writes its v
// and w to rows k and k+1 of pairs: w = tau (A v - tau/2 (vᵀA v) v), where A is the trailing matrix.
func (p *panel) reflect(r, k int) (e, tau float64) {
	v, rest := p.a.Elements(r, r+1, p.n), p.a.Sub(r+1, r+1)
	m := len(v)
	e, tau = qr.Larfg(p.Backend, v[0], v[1:])
	v[0] = 1
	copy(p.pairs.Elements(k, r+1, p.n), v)
	w := p.pairs.Elements(k+1, r+1, p.n)
	p.Dsymv(blas.Upper, m, tau, rest.X, rest.Ld, v, 1, 0, w, 1)
	if k > 0 {
		before := p.pairs.Sub(0, r+1)
		p.Dgemv(blas.NoTrans, k, m, 1, before.X, before.Ld, v, 1, 0, p.multiplier, 1)
		for q := 0; q < k; q += 2 {
			p.multiplier[q], p.multiplier[q+1] = p.multiplier[q+1], p.multiplier[q]
		}
		p.subtract(tau, k, r+1, w)
	}
	p.Daxpy(m, -0.5*tau*p.Ddot(m, w, 1, v, 1), v, 1, w, 1)
	return e, tau
}
