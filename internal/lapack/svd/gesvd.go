// Package svd computes singular value decompositions: LAPACK's dgesvd, with the rotations of its QR
// algorithm applied many at once (Van Zee, van de Geijn, Quintana-Ortí, ACM Trans. Math. Softw. 40
// (2014), article 18).
//
// Vectors are rows here until the end, and the matrix that is reduced is Aᵀ: so reflections and
// rotations work along rows.
package svd

import (
	"cmp"
	"math"
	"slices"

	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/lapack/rotations"
	"blskernel/internal/memory"

	"gonum.org/v1/gonum/blas"
)

// Vectors is where singular vectors go: the first Count of them, as columns for U and as rows for Vᵀ.
type Vectors struct {
	Count int // 0, min(m, n), or all: m for U, n for Vᵀ
	X     block.Matrix
}

// Gesvd computes A = U diag(s) Vᵀ for the dense m×n A, with min(m, n) values in descending order, and
// overwrites A. It returns false, and makes the values NaN, if an element of A is not finite or the
// values do not converge.
func Gesvd(bk lapack.Backend, m, n int, a block.Matrix, s []float64, u, vt Vectors) bool {
	if min(m, n) == 0 {
		return true
	}
	exponent, finite := scale(bk, m, n, a)
	if !finite || !gesvd(bk, m, n, a, s, u, vt) {
		for i := range s {
			s[i] = math.NaN()
		}
		return false
	}
	if exponent != 0 {
		for i, v := range s {
			s[i] = math.Ldexp(v, exponent)
		}
	}
	return true
}

// scale divides A by 2^exponent if it has elements so large or so small that their products may
// overflow or underflow, and reports whether all elements are finite.
func scale(bk lapack.Backend, m, n int, a block.Matrix) (exponent int, finite bool) {
	if lapack.NotFinite(bk, blas.All, m, n, a) != nil {
		return 0, false
	}
	largest := 0.0
	for i := range m {
		_, size := bk.AbsMax(a.Elements(i, 0, n))
		largest = max(largest, size)
	}
	if largest == 0 || 0x1p-400 <= largest && largest <= 0x1p400 {
		return 0, true
	}
	_, exponent = math.Frexp(largest)
	for i := range m {
		row := a.Elements(i, 0, n)
		for j, v := range row {
			row[j] = math.Ldexp(v, -exponent)
		}
	}
	return exponent, true
}

// wide is the ratio of m to n, in eighths, from which on R of a QR factorization is reduced: for values
// alone that takes less from 5/3 on, and Level 3 has more of the work.
const wide = 13

// gesvd is Gesvd for elements that are finite and neither large nor small. It sees the one of A and Aᵀ
// that has more rows, and calls its dimensions m and n.
func gesvd(bk lapack.Backend, m, n int, a block.Matrix, s []float64, u, vt Vectors) bool {
	tall := m >= n
	if !tall {
		m, n, u, vt = n, m, vt, u
	}
	p := problem{Backend: bk, m: m, n: n, right: vt.Count > 0}
	if p.right {
		p.vt = vt.X
		if !tall {
			p.vt = zeros(n, n)
		}
	}
	var ok bool
	if 8*m >= wide*n {
		ok = p.tall(tall, a, s, u)
	} else {
		ok = p.nearlySquare(tall, a, s, u)
	}
	if ok && p.right && !tall {
		bk.Transpose(n, n, p.vt.X, p.vt.Ld, vt.X.X, vt.X.Ld)
	}
	return ok
}

// A problem is the decomposition of an m×n A, m >= n.
type problem struct {
	lapack.Backend
	m, n  int
	right bool // whether Vᵀ is wanted
	vt    block.Matrix
}

// nearlySquare reduces A, which is a or the transpose of a. U, or Uᵀ, goes to u.
func (p problem) nearlySquare(upright bool, a block.Matrix, s []float64, u Vectors) bool {
	w, ut := a, u.X
	if upright {
		w = zeros(p.n, p.m)
		p.Transpose(p.m, p.n, a.X, a.Ld, w.X, w.Ld)
		if ut = w; u.Count > p.n {
			ut = zeros(u.Count, p.m)
		}
	}
	if !p.decompose(w, s, u.Count, ut) {
		return false
	}
	if upright && u.Count > 0 {
		p.Transpose(u.Count, p.m, ut.X, ut.Ld, u.X.X, u.X.Ld)
	}
	return true
}

// tall reduces the R of a QR factorization of A, which is a or the transpose of a. U, or Uᵀ, goes to u.
func (p problem) tall(upright bool, a block.Matrix, s []float64, u Vectors) bool {
	q := a
	if !upright {
		q = zeros(p.m, p.n)
		p.Transpose(p.n, p.m, a.X, a.Ld, q.X, q.Ld)
	}
	f, overflow := lapack.Geqrf(p.Backend, 0, 0, p.m, p.n, q)
	if overflow != nil {
		return false
	}
	w := zeros(p.n, p.n)
	for i := range p.n {
		for j, r := range q.Elements(i, i, p.n) {
			w.X[w.Row(i+j)+i] = r
		}
	}
	r := p
	r.m = p.n
	if !r.decompose(w, s, min(u.Count, p.n), w) {
		return false
	}
	if u.Count == 0 {
		return true
	}
	x := u.X
	if !upright {
		x = zeros(p.m, u.Count)
	}
	for i := range p.m {
		row := x.Elements(i, 0, u.Count)
		clear(row)
		if i >= p.n && i < u.Count {
			row[i] = 1
		}
	}
	p.Transpose(p.n, p.n, w.X, w.Ld, x.X, x.Ld)
	f.Ormqr(p.Backend, blas.Left, blas.NoTrans, u.Count, x)
	if !upright {
		p.Transpose(p.m, u.Count, x.X, x.Ld, u.X.X, u.X.Ld)
	}
	return true
}

// decompose computes the values, and the rows of Uᵀ and Vᵀ, of the matrix whose transpose is w. ut has
// count rows, or is not used where count is 0; it may be w.
func (p problem) decompose(w block.Matrix, s []float64, count int, ut block.Matrix) bool {
	b := gebrd(p.Backend, p.n, p.m, w, p.vt)
	copy(s, b.d)
	var u, v *rotations.Sequence
	if count > 0 {
		if &ut.X[0] != &w.X[0] {
			block.Copy(ut, w, p.n, p.m)
		}
		orgRows(p.Backend, count, p.m, p.n, ut, b.tauQ)
		u = rotations.New(p.Backend, p.n, p.m, ut)
	}
	if p.right {
		for i := range p.n {
			p.vt.X[p.vt.Row(i)] = 0
		}
		unit(p.vt.Elements(0, 0, p.n), 0)
		if k := p.n - 1; k > 0 {
			orgRows(p.Backend, k, k, k, p.vt.Sub(1, 1), b.tauP)
		}
		v = rotations.New(p.Backend, p.n, p.n, p.vt)
	}
	if u == nil && v == nil && dqds(s, b.e) {
		p.arrange(s, 0, ut)
		return true
	}
	if !bdsqr(s, b.e, u, v) {
		return false
	}
	if u != nil {
		u.Flush()
	}
	if v != nil {
		v.Flush()
	}
	p.arrange(s, count, ut)
	return true
}

// arrange makes the values positive and sorts them, and the rows with them.
func (p problem) arrange(s []float64, count int, ut block.Matrix) {
	order := make([]int, p.n)
	for i, v := range s {
		if order[i] = i; math.Signbit(v) {
			s[i] = -v
			if p.right {
				p.Dscal(p.n, -1, p.vt.Elements(i, 0, p.n), 1)
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s[j], s[i]) })
	permute(order, block.Dense(s, 1), 1)
	if count > 0 {
		permute(order, ut, p.m)
	}
	if p.right {
		permute(order, p.vt, p.n)
	}
}

// permute moves row order[i] of a to row i, for all i.
func permute(order []int, a block.Matrix, cols int) {
	first, done := make([]float64, cols), make([]bool, len(order))
	for start := range order {
		if done[start] || order[start] == start {
			continue
		}
		copy(first, a.Elements(start, 0, cols))
		i := start
		for ; order[i] != start; i = order[i] {
			done[i] = true
			copy(a.Elements(i, 0, cols), a.Elements(order[i], 0, cols))
		}
		done[i] = true
		copy(a.Elements(i, 0, cols), first)
	}
}

// zeros returns a matrix with an odd multiple of 64 bytes between rows, so that the elements of a
// column do not compete for the same sets of a cache.
func zeros(rows, cols int) block.Matrix {
	ld := (cols+7)/8*8 | 8
	return block.Dense(memory.Zeros(rows*ld), ld)
}
