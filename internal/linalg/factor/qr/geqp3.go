package qr

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// geqp3Columns is the number of columns that Geqp3 reduces together.
const geqp3Columns = 32

// Geqp3 overwrites the m×n dense a with the QR factorization with column pivoting A P = Q R, in the
// form of Geqrf. The first fixed columns stay in front. Each later step takes the remaining column with
// the longest component orthogonal to the earlier columns, so that the later diagonal elements of R do
// not increase in magnitude, up to rounding. Column j of A P is column order[j] of A; on entry order
// gives the order of the columns of a. tau has min(m, n) elements. Geqp3 takes 4mnk - 2(m+n)k² + 4k³/3
// flops for k = min(m, n), half of them in passes over the trailing matrix, one per column.
//
// (LAPACK: dgeqp3 and dlaqps; Quintana-Ortí, Sun and Bischof, SIAM J. Sci. Comput. 19, 1998; norms by
// Drmač and Bujanović, ACM Trans. Math. Softw. 35(2), 2008.)
func Geqp3(bk factor.Backend, fixed, m, n int, a block.Matrix, order []int, tau []float64) {
	k := min(m, n)
	if fixed = min(fixed, k); fixed > 0 {
		f := Geqrf(bk, false, 0, 0, m, fixed, a)
		copy(tau, f.Tau)
		if fixed < n {
			f.Ormqr(bk, blas.Left, blas.Trans, n-fixed, a.Sub(0, fixed))
		}
	}
	if fixed == k {
		return
	}
	w := factor.Acquire()
	defer w.Release()
	nb := min(geqp3Columns, k-fixed)
	p := laqps{bk: bk, m: m, n: n, a: a, order: order, tau: tau}
	p.v, p.f = w.Matrix(nb, m), w.Matrix(nb, n)
	p.norms, p.exact, p.dots = w.Take(n), w.Take(n), w.Take(nb)
	for j := fixed; j < n; j++ {
		p.norms[j] = p.columnNorm(fixed, j)
		p.exact[j] = p.norms[j]
	}
	for j := fixed; j < k; {
		j += p.reduce(j, min(nb, k-j))
	}
}

// A laqps is the state of Geqp3. The reflections V of a panel, with a matrix F, turn A into A - V Fᵀ.
// The rows of v and f are columns of V and F, so that all products run along them.
type laqps struct {
	bk    factor.Backend
	m, n  int
	a     block.Matrix
	order []int
	tau   []float64
	v, f  block.Matrix
	norms []float64 // of the columns below the finished rows, as downdated
	exact []float64 // norms when they were last computed
	dots  []float64
}

func (p *laqps) columnNorm(i, j int) float64 {
	if i == p.m {
		return 0
	}
	return p.bk.Dnrm2(p.m-i, p.a.X[p.a.Row(i)+j:], p.a.Ld)
}

// reduce reduces up to nb columns from row and column j on, and updates the trailing matrix. It stops
// once cancellation has made a downdated norm inaccurate, and returns the number of columns reduced.
func (p *laqps) reduce(j, nb int) int {
	rows := p.m - j
	at, v, f := p.a.Sub(j, j), p.v, p.f.Sub(0, j)
	var lost []int
	c := 0
	for ; c < nb && len(lost) == 0; c++ {
		p.exchange(j, c)
		x, rest := v.Elements(c, c, rows), p.n-j-c-1
		for r := range x {
			x[r] = at.X[at.Row(c+r)+c]
		}
		if c > 0 {
			p.bk.Dgemv(blas.Trans, c, rows-c, -1, v.X[c:], v.Ld, f.X[c:], f.Ld, 1, x, 1)
		}
		beta, tau := Larfg(p.bk, x[0], x[1:])
		x[0], p.tau[j+c] = 1, tau
		at.X[at.Row(c)+c] = beta
		for r, y := range x[1:] {
			at.X[at.Row(c+1+r)+c] = y
		}
		clear(f.Elements(c, 0, c+1))
		if rest == 0 {
			continue
		}
		// Column c of F is tau (A - V Fᵀ)ᵀ v.
		next := f.Elements(c, c+1, p.n-j)
		right := at.Sub(c, c+1)
		p.bk.Dgemv(blas.Trans, rows-c, rest, tau, right.X, right.Ld, x, 1, 0, next, 1)
		if c > 0 {
			p.bk.Dgemv(blas.NoTrans, c, rows-c, -tau, v.X[c:], v.Ld, x, 1, 0, p.dots, 1)
			p.bk.Dgemv(blas.Trans, c, rest, 1, f.X[c+1:], f.Ld, p.dots, 1, 1, next, 1)
		}
		// Row c of R.
		row := at.Elements(c, c+1, p.n-j)
		p.bk.Dgemv(blas.Trans, c+1, rest, -1, f.X[c+1:], f.Ld, v.X[c:], v.Ld, 1, row, 1)
		lost = p.downdate(j+c+1, row)
	}
	if below, rest := rows-c, p.n-j-c; below > 0 && rest > 0 {
		p.bk.Gemm(blas.Trans, blas.NoTrans, below, rest, c, -1, v.Sub(0, c), f.Sub(0, c), 1, at.Sub(c, c))
	}
	for _, q := range lost {
		p.norms[q] = p.columnNorm(j+c, q)
		p.exact[q] = p.norms[q]
	}
	return c
}

// exchange exchanges column j+c, in all rows, with the column of largest norm from column j+c on.
func (p *laqps) exchange(j, c int) {
	k := j + c
	q := k
	for i := k + 1; i < p.n; i++ {
		if p.norms[i] > p.norms[q] {
			q = i
		}
	}
	if q == k {
		return
	}
	for at, i := p.a.Row(0), 0; i < p.m; i, at = i+1, at+p.a.Ld {
		p.a.X[at+k], p.a.X[at+q] = p.a.X[at+q], p.a.X[at+k]
	}
	for i := range c {
		row := p.f.Elements(i, 0, p.n)
		row[k], row[q] = row[q], row[k]
	}
	p.order[k], p.order[q] = p.order[q], p.order[k]
	p.norms[q], p.exact[q] = p.norms[k], p.exact[k]
}

// downdate removes row, a row of R, from the norms of the columns from j on. It returns the columns
// whose norms have lost half of their digits since they were last computed.
func (p *laqps) downdate(j int, row []float64) (lost []int) {
	const half = 0x1p-26 // the square root of eps
	for i, v := range row {
		norm := p.norms[j+i]
		if norm == 0 {
			continue
		}
		ratio := math.Abs(v) / norm
		left := max(0, float64((1+ratio)*(1-ratio)))
		share := norm / p.exact[j+i]
		if !(float64(left*float64(share*share)) > half) {
			lost = append(lost, j+i)
			continue
		}
		p.norms[j+i] = norm * math.Sqrt(left)
	}
	return lost
}
