package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
)

// blockOrder returns the order, 1 or 2, of the block at (i, i) of the n×n quasi-triangular t.
func blockOrder(t block.Matrix, n, i int) int {
	if i+1 < n && t.X[(i+1)*t.Ld+i] != 0 {
		return 2
	}
	return 1
}

// sylvester solves A X - X B = C by elimination with complete pivoting. A and B are the diagonal blocks
// of d, of orders n1 and n2, and C is the block to the right of A. d has stride 4 and no element above
// 1 in magnitude. A pivot below ulp is replaced by ulp: A and B then share an eigenvalue to working
// precision. (LAPACK: dlasy2.)
func sylvester(d block.Matrix, n1, n2 int) (x [2][2]float64) {
	n := n1 * n2
	var m [4][5]float64
	for i := range n1 {
		for j := range n2 {
			row := &m[i*n2+j]
			for k := range n1 {
				row[k*n2+j] += d.X[4*i+k]
			}
			for k := range n2 {
				row[i*n2+k] -= d.X[4*(n1+k)+n1+j]
			}
			row[4] = d.X[4*i+n1+j]
		}
	}
	unknown := [4]int{0, 1, 2, 3}
	for k := range n {
		r, c := k, k
		for i := k; i < n; i++ {
			for j := k; j < n; j++ {
				if math.Abs(m[i][j]) > math.Abs(m[r][c]) {
					r, c = i, j
				}
			}
		}
		m[k], m[r] = m[r], m[k]
		if c != k {
			unknown[k], unknown[c] = unknown[c], unknown[k]
			for i := range n {
				m[i][k], m[i][c] = m[i][c], m[i][k]
			}
		}
		if math.Abs(m[k][k]) < ulp {
			m[k][k] = ulp
		}
		for i := k + 1; i < n; i++ {
			f := m[i][k] / m[k][k]
			for j := k + 1; j < 5; j++ {
				m[i][j] -= float64(f * m[k][j])
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		s := m[k][4]
		for j := k + 1; j < n; j++ {
			s -= float64(m[k][j] * m[j][4])
		}
		m[k][4] = s / m[k][k]
		x[unknown[k]/n2][unknown[k]%n2] = m[k][4]
	}
	return x
}

// swap exchanges the diagonal blocks of orders n1 and n2 at (at, at) of the quasi-triangular p.h by
// reflections of rows and columns, and brings them to standard form. It returns false and changes
// nothing if the eigenvalues are too close for the result to be quasi-triangular to working precision.
// (Bai and Demmel, Linear Algebra Appl. 186, 1993; LAPACK: dlaexc.)
func (p *problem) swap(at, n1, n2 int) (ok bool) {
	var elements [16]float64
	var columns [8]float64
	t, d, nd, order := p.h, block.Dense(elements[:], 4), n1+n2, n1+1
	block.Copy(d, t.Sub(at, at), nd, nd)
	size := 0.0
	for _, v := range elements {
		size = max(size, math.Abs(v))
	}
	if size == 0 {
		return true
	}
	for i := range elements {
		elements[i] /= size
	}
	// With A X - X B = C, the reflections that make (-X; I) triangular exchange the blocks.
	v, x := block.Dense(columns[:], 2), sylvester(d, n1, n2)
	for j := range n2 {
		for i := range n1 {
			v.X[2*i+j] = -x[i][j]
		}
		v.X[2*(n1+j)+j] = 1
	}
	var r [2]reflection
	for c := range n2 {
		third := 0.0
		if n1 == 2 {
			third = v.X[2*(c+2)+c]
		}
		r[c], _ = reflect(v.X[2*c+c], v.X[2*(c+1)+c], third)
		r[c].left(v, order, c, 0, n2)
		r[c].left(d, order, c, 0, nd)
		r[c].right(d, order, c, 0, nd)
	}
	for i := n2; i < nd; i++ {
		for _, v := range d.Elements(i, 0, n2) {
			if !(math.Abs(v) <= 10*ulp) {
				return false
			}
		}
	}
	first, last := p.at(at, at), p.at(at+nd-1, at+nd-1)
	for c := range n2 {
		r[c].left(t, order, at+c, at, p.n)
		r[c].right(t, order, at+c, 0, at+nd)
		r[c].right(p.z, order, at+c, 0, p.zRows)
	}
	for i := n2; i < nd; i++ {
		clear(t.Elements(at+i, at, at+n2))
	}
	p.settle(at, n2, last)
	p.settle(at+n2, n1, first)
	return true
}

// settle brings the diagonal block at (i, i) to standard form. A block of order 1 becomes v.
func (p *problem) settle(i, order int, v float64) {
	if order == 1 {
		p.set(i, i, v)
	} else {
		p.standardize(i)
	}
}

// moveUp moves the diagonal block at (from, from) up to (to, to), where a block begins. It returns the
// row where the block ends up, greater than to if eigenvalues are too close to swap. (LAPACK: dtrexc.)
func (p *problem) moveUp(from, to int) int {
	order := blockOrder(p.h, p.n, from)
	for from > to {
		above := 1
		if from >= 2 && p.at(from-1, from-2) != 0 {
			above = 2
		}
		if !p.swap(from-above, above, order) {
			return from
		}
		from -= above
		if order == 2 && blockOrder(p.h, p.n, from) == 1 { // the block has split
			to = p.moveUp(from, to)
			p.moveUp(from+1, to+1)
			return to
		}
	}
	return from
}
