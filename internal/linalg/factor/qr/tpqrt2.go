package qr

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A tpqrt2 eliminates a panel of columns of the rows B below a triangle R. Its reflections have an
// identity on top, Q = I - [I; V] T [I; V]ᵀ. It stores only V, transposed: each of the n rows of Vᵀ is
// one reflection. All products run along these rows, which are long. (LAPACK: dtpqrt2.)
type tpqrt2 struct {
	bk   factor.Backend
	base int // columns at which the recursion stops

	n     int          // columns
	q     int          // rows of B
	first int          // column j of B has min(q, first+j+1) rows, and zeros below
	r     block.Matrix // the n×n diagonal block of R, in its place
	v     block.Matrix // Bᵀ, which becomes Vᵀ
	t     block.Matrix // T, upper triangular
	dots  []float64
}

// newTpqrt2 returns storage for panels of up to n columns and q rows.
func newTpqrt2(bk factor.Backend, w *factor.Workspace, n, q, base int) tpqrt2 {
	t := block.Dense(w.Take(n*n), n)
	return tpqrt2{bk: bk, base: base, v: w.Matrix(n, q), t: t, dots: w.Take(n)}
}

// start begins a panel of n columns: r is its diagonal block and b its q rows; first is as in tpqrt2.
func (p *tpqrt2) start(r, b block.Matrix, first, q, n int) {
	p.r, p.first, p.q, p.n = r, first, q, n
	block.CopyTransposed(p.v, b, q, n)
}

// rows returns the number of rows of B that may be nonzero in the columns before column c.
func (p *tpqrt2) rows(c int) int { return min(p.q, p.first+c) }

// factor eliminates columns c to c+n-1 recursively, as geqrt does; the identity on top simplifies it.
func (p *tpqrt2) factor(c, n int) {
	if n <= p.base {
		p.factorBase(c, n)
		return
	}
	bk := p.bk
	n1 := n / 2
	n2, d := n-n1, c+n1
	p.factor(c, n1)

	// Multiply the right half by Q1ᵀ = I - [I; V1] T1ᵀ [I; V1]ᵀ, with W in the place of T12.
	q := p.rows(d)
	v1, v2, r12 := p.v.Sub(c, 0), p.v.Sub(d, 0), p.r.Sub(c, d)
	t1, t2, w := p.t.Sub(c, c), p.t.Sub(d, d), p.t.Sub(c, d)
	block.Copy(w, r12, n1, n2)
	bk.Gemm(blas.NoTrans, blas.Trans, n1, n2, q, 1, v1, v2, 1, w)
	bk.Trmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, t1, w)
	for i := range n1 {
		bk.Add(-1, w.Elements(i, 0, n2), r12.Elements(i, 0, n2))
	}
	bk.Gemm(blas.Trans, blas.NoTrans, n2, q, n1, -1, w, v1, 1, v2)
	p.factor(d, n2)

	// T12 = -T1 V1ᵀ V2 T2.
	bk.Gemm(blas.NoTrans, blas.Trans, n1, n2, q, 1, v1, v2, 0, w)
	bk.Trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, -1, t1, w)
	bk.Trmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, t2, w)
}

// factorBase is factor for few columns, one at a time.
func (p *tpqrt2) factorBase(c, n int) {
	for j := c; j < c+n; j++ {
		q, rj := p.rows(j+1), p.r.X[p.r.Row(j):]
		x := p.v.Elements(j, 0, q)
		beta, tau := Larfg(p.bk, rj[j], x)
		rj[j] = beta
		if m := c + n - j - 1; m > 0 && tau != 0 {
			w, right, v2 := p.dots[:m], rj[j+1:j+1+m], p.v.Sub(j+1, 0)
			copy(w, right)
			p.bk.Dgemv(blas.NoTrans, m, q, tau, v2.X, v2.Ld, x, 1, tau, w, 1)
			p.bk.Add(-1, w, right)
			p.bk.Dger(m, q, -1, w, 1, x, 1, v2.X, v2.Ld)
		}
		larftColumn(p.bk, j-c, q, tau, p.v.Sub(c, 0), x, p.t.Sub(c, c), p.dots)
	}
}
