package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// A panel is some columns of a triangle R and of the rows B below it that are eliminated together. Its
// reflections have an identity on top, Q = I - [I; V] T [I; V]ᵀ, so only V is stored, and it is stored
// by columns: Vᵀ has n rows, each of which is one reflection. All products then run along these rows,
// which are long.
type panel struct {
	bk   blskernel.Backend
	base int // columns at which the recursion stops

	n     int       // columns
	q     int       // rows of B
	first int       // column j of B has min(q, first+j+1) rows, and zeros below
	r     []float64 // the n×n diagonal block of R, in its place
	ldr   int
	v     []float64 // Vᵀ, which begins as Bᵀ
	ldv   int
	t     []float64 // T, upper triangular
	ldt   int
	dots  []float64
}

// newPanel returns storage for panels of up to n columns and q rows.
func newPanel(bk blskernel.Backend, n, q, base int) *panel {
	ldv := apart(q)
	return &panel{bk: bk, base: base, v: make([]float64, n*ldv), ldv: ldv, t: make([]float64, n*n), ldt: n, dots: make([]float64, n)}
}

// start begins a panel of n columns: r is its diagonal block and b its q rows. Column j of B has
// min(q, first+j+1) rows, and zeros below.
func (p *panel) start(r []float64, ldr int, b []float64, ldb int, first, q, n int) {
	p.r, p.ldr, p.first, p.q, p.n = r, ldr, first, q, n
	copyTransposed(q, n, b, ldb, p.v, p.ldv)
}

// rows returns the number of rows of B that the columns before column c have.
func (p *panel) rows(c int) int { return min(p.q, p.first+c) }

// factor eliminates columns c to c+n-1 of the panel by halves, as in geqrt; the identity on top makes
// it simpler.
func (p *panel) factor(c, n int) {
	if n <= p.base {
		p.factorBase(c, n)
		return
	}
	bk := p.bk
	n1 := n / 2
	n2, d := n-n1, c+n1
	p.factor(c, n1)

	// The right half by Q1ᵀ = I - [I; V1] T1ᵀ [I; V1]ᵀ, with W in the place of T12.
	q := p.rows(d)
	v1, v2, r12 := p.v[c*p.ldv:], p.v[d*p.ldv:], p.r[c*p.ldr+d:]
	t1, t2, w := p.t[c*p.ldt+c:], p.t[d*p.ldt+d:], p.t[c*p.ldt+d:]
	for i := range n1 {
		copy(w[i*p.ldt:i*p.ldt+n2], r12[i*p.ldr:])
	}
	bk.Dgemm(blas.NoTrans, blas.Trans, n1, n2, q, 1, v1, p.ldv, v2, p.ldv, 1, w, p.ldt)
	bk.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, t1, p.ldt, w, p.ldt)
	for i := range n1 {
		axpy(r12[i*p.ldr:i*p.ldr+n2], -1, w[i*p.ldt:i*p.ldt+n2])
	}
	bk.Dgemm(blas.Trans, blas.NoTrans, n2, q, n1, -1, w, p.ldt, v1, p.ldv, 1, v2, p.ldv)
	p.factor(d, n2)

	// T12 = -T1 V1ᵀ V2 T2.
	bk.Dgemm(blas.NoTrans, blas.Trans, n1, n2, q, 1, v1, p.ldv, v2, p.ldv, 0, w, p.ldt)
	bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, -1, t1, p.ldt, w, p.ldt)
	bk.Dtrmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, t2, p.ldt, w, p.ldt)
}

// factorBase is factor for few columns, one after the other.
func (p *panel) factorBase(c, n int) {
	for j := c; j < c+n; j++ {
		q, rj := p.rows(j+1), p.r[j*p.ldr:]
		x := p.v[j*p.ldv : j*p.ldv+q]
		beta, tau := larfg(p.bk, rj[j], x)
		rj[j] = beta
		if m := c + n - j - 1; m > 0 && tau != 0 {
			w, right, v2 := p.dots[:m], rj[j+1:j+1+m], p.v[(j+1)*p.ldv:]
			copy(w, right)
			p.bk.Dgemv(blas.NoTrans, m, q, tau, v2, p.ldv, x, 1, tau, w, 1)
			axpy(right, -1, w)
			p.bk.Dger(m, q, -1, w, 1, x, 1, v2, p.ldv)
		}
		tColumn(p.bk, j-c, q, tau, p.v[c*p.ldv:], p.ldv, x, p.t[c*p.ldt+c:], p.ldt, p.dots)
	}
}

// tColumn makes column j of T from T before it and Vᵀ: T[:j,j] = -tau T[:j,:j] V[:,:j]ᵀ x and T[j,j] =
// tau, where x, of q elements, is column j of V. work has j elements.
func tColumn(bk blskernel.Backend, j, q int, tau float64, v []float64, ldv int, x, t []float64, ldt int, work []float64) {
	t[j*ldt+j] = tau
	if j == 0 {
		return
	}
	dots := work[:j]
	bk.Dgemv(blas.NoTrans, j, q, -tau, v, ldv, x, 1, 0, dots, 1)
	for i := range j {
		s := 0.0
		for k, u := range t[i*ldt+i : i*ldt+j] {
			s += u * dots[i+k]
		}
		t[i*ldt+j] = s
	}
}

// copyTransposed writes the transpose of the m×n a to b. Eight rows at a time fill whole cache lines of
// b.
func copyTransposed(m, n int, a []float64, lda int, b []float64, ldb int) {
	i := 0
	for ; i+8 <= m; i += 8 {
		at := a[i*lda:]
		a0, a1, a2, a3 := at[:n], at[lda:lda+n], at[2*lda:2*lda+n], at[3*lda:3*lda+n]
		a4, a5, a6, a7 := at[4*lda:4*lda+n], at[5*lda:5*lda+n], at[6*lda:6*lda+n], at[7*lda:7*lda+n]
		for j := range n {
			d := b[j*ldb+i : j*ldb+i+8 : j*ldb+i+8]
			d[0], d[1], d[2], d[3] = a0[j], a1[j], a2[j], a3[j]
			d[4], d[5], d[6], d[7] = a4[j], a5[j], a6[j], a7[j]
		}
	}
	for ; i < m; i++ {
		for j, x := range a[i*lda : i*lda+n] {
			b[j*ldb+i] = x
		}
	}
}
