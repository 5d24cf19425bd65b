package svd

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// Vectors receives the first Count singular vectors, as columns for U and as rows for Vᵀ.
type Vectors struct {
	Count int // 0, min(m, n), or all: m for U, n for Vᵀ
	X     block.Matrix
}

// Gesvd computes A = U diag(s) Vᵀ for the dense m×n matrix A, with min(m, n) singular values in
// descending order, and overwrites A. It returns false, and leaves s undefined, if an element of A is
// not finite or the iteration does not converge.
func Gesvd(bk factor.Backend, m, n int, a block.Matrix, s []float64, u, vt Vectors) bool {
	if min(m, n) == 0 {
		return true
	}
	finite := factor.NotFinite(bk, blas.All, m, n, a) == nil
	exponent, _ := factor.Scale(bk, 400, m, n, a) // squares then neither overflow nor underflow
	if !finite || !gesvd(bk, m, n, a, s, u, vt) {
		return false
	}
	bk.Dscal(len(s), math.Ldexp(1, exponent), s, 1)
	return true
}

// wide is the smallest m/n, in eighths, for which gesvd reduces the R of a QR factorization instead of
// A. For values alone this takes fewer flops from m/n = 5/3 on, and more of the work is Level 3.
const wide = 13

// gesvd is Gesvd for elements that are finite and neither large nor small. It works on A or Aᵀ,
// whichever has more rows, and calls its dimensions m and n.
func gesvd(bk factor.Backend, m, n int, a block.Matrix, s []float64, u, vt Vectors) bool {
	tall := m >= n
	if !tall {
		m, n, u, vt = n, m, vt, u
	}
	p := problem{Backend: bk, work: factor.Acquire(), m: m, n: n, right: vt.Count > 0}
	defer p.work.Release()
	if p.vt = vt.X; p.right && !tall {
		p.vt = p.work.Matrix(n, n)
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

// A problem is the decomposition of an m×n matrix A, m >= n.
type problem struct {
	factor.Backend
	work  *factor.Workspace
	m, n  int
	right bool // whether to compute Vᵀ
	vt    block.Matrix
}

// nearlySquare decomposes A = a and writes U to u if upright is set, otherwise A = aᵀ and writes Uᵀ.
func (p problem) nearlySquare(upright bool, a block.Matrix, s []float64, u Vectors) bool {
	w, ut := a, u.X
	if upright {
		w = p.work.Matrix(p.n, p.m)
		p.Transpose(p.m, p.n, a.X, a.Ld, w.X, w.Ld)
		ut = p.work.Matrix(u.Count, p.m)
	}
	if !p.decompose(w, s, u.Count, ut) {
		return false
	}
	if upright && u.Count > 0 {
		p.Transpose(u.Count, p.m, ut.X, ut.Ld, u.X.X, u.X.Ld)
	}
	return true
}

// tall is nearlySquare for 8m >= wide*n. It decomposes the R of a QR factorization of A.
func (p problem) tall(upright bool, a block.Matrix, s []float64, u Vectors) bool {
	q := a
	if !upright {
		q = p.work.Matrix(p.m, p.n)
		p.Transpose(p.n, p.m, a.X, a.Ld, q.X, q.Ld)
	}
	f := qr.Geqrf(p.Backend, u.Count > 0, 0, 0, p.m, p.n, q)
	if f.Overflow() != nil {
		return false
	}
	w := p.work.Matrix(p.n, p.n)
	for i := range p.n {
		clear(w.Elements(i, i, p.n))
	}
	factor.StoreUpper(w, blas.Lower, p.n, q)
	r := p
	r.m = p.n
	count := min(u.Count, p.n)
	ut := p.work.Matrix(count, p.n)
	if !r.decompose(w, s, count, ut) {
		return false
	}
	if u.Count == 0 {
		return true
	}
	x := u.X
	if !upright {
		x = p.work.Matrix(p.m, u.Count)
	}
	for i := range p.m {
		row := x.Elements(i, 0, u.Count)
		clear(row)
		if i >= p.n && i < u.Count {
			row[i] = 1
		}
	}
	p.Transpose(p.n, p.n, ut.X, ut.Ld, x.X, x.Ld)
	f.Ormqr(p.Backend, blas.Left, blas.NoTrans, u.Count, x)
	if !upright {
		p.Transpose(p.m, u.Count, x.X, x.Ld, u.X.X, u.X.Ld)
	}
	return true
}

// decompose computes the values, and the rows of Uᵀ and Vᵀ, of the matrix whose transpose is w, which
// it overwrites. ut has count rows; it is not used if count is 0.
//
// The values come from dqds or QR even if there are vectors, so each is computed from B to high
// relative accuracy, with or without vectors. This adds about a tenth to the time.
func (p problem) decompose(w block.Matrix, s []float64, count int, ut block.Matrix) bool {
	if count == 0 && !p.right {
		b := gebrd(p.Backend, p.work, p.n, p.m, w, block.Matrix{})
		ok := b.values(s)
		descend(s)
		return ok
	}
	vt, reflections := p.vt, block.Matrix{}
	if p.right {
		reflections = p.work.Matrix(p.n, p.n)
	} else {
		vt = p.work.Matrix(p.n, p.n)
	}
	b := gebrd(p.Backend, p.work, p.n, p.m, w, reflections)
	part := ut
	if count == 0 {
		part = p.work.Matrix(p.n, p.n)
	}
	for i := range count {
		factor.Unit(ut.Elements(i, 0, p.m), i)
	}
	if !b.values(s) || !bdsdc(p.Backend, b.d, b.e, part, vt) {
		return false
	}
	if count > 0 {
		q := qr.Reflections(true, p.m, w, b.tauQ)
		q.Ormqr(p.Backend, blas.Right, blas.Trans, count, ut)
	}
	if k := p.n - 1; p.right && k > 0 {
		q := qr.Reflections(true, k, reflections.Sub(1, 1), b.tauP[:k])
		q.Ormqr(p.Backend, blas.Right, blas.Trans, p.n, vt.Sub(0, 1))
	}
	order := descend(b.d)
	if count > 0 {
		factor.Permute(order, ut, p.m)
	}
	if p.right {
		factor.Permute(order, vt, p.n)
	}
	descend(s)
	return true
}

// values writes the singular values of B, to high relative accuracy, to s, with any sign and in any
// order. It reports whether they converge.
func (b bidiagonal) values(s []float64) bool {
	copy(s, b.d)
	return dqds(s, b.e) || bdsqr(s, slices.Clone(b.e), nil, nil)
}

// descend replaces s with its magnitudes in descending order, and returns the former index of each.
func descend(s []float64) (order []int) {
	for i, v := range s {
		s[i] = -math.Abs(v)
	}
	order = factor.Sort(s)
	for i, v := range s {
		s[i] = -v
	}
	return order
}
