package eigen

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// An upper computes the eigenvectors of the n×n quasi-triangular t as the columns of the upper
// triangular x. For a pair of complex eigenvalues, the columns are the real and the imaginary part.
type upper struct {
	bk    factor.Backend
	small bool // whether to use plain loops instead of products
	n     int
	t, x  block.Matrix
	w     []complex128
	tiny  []float64 // for each eigenvalue, the size to which a smaller pivot is raised

	// A column of eigenvectors is scaled if a quotient exceeds growth; the scaled quotient is about
	// 2⁻¹⁰⁰ growth. Products of elements of T with eigenvectors below growth do not overflow.
	growth float64
}

// trevc writes the eigenvectors of the n×n quasi-triangular t, with standard blocks and the eigenvalues
// w, to the upper triangle of x, in about n³/3 flops. The largest element of a column, or of a pair of
// columns, is about 1. (LAPACK: dtrevc3.)
//
// It solves for all vectors at once, halving the rows recursively. A product subtracts the terms of the
// rows below. The blocks on the diagonal, shifted by each column's eigenvalue, are solved row by row.
func trevc(bk factor.Backend, small bool, n int, t block.Matrix, w []complex128, x block.Matrix) {
	work := factor.Acquire()
	defer work.Release()
	u := upper{bk: bk, small: small, n: n, t: t, x: x, w: w, tiny: work.Take(n)}
	largest := 0.0 // balancing may have raised elements outside its block to 2⁹⁶⁹
	for i := range n {
		_, v := bk.AbsMax(t.Elements(i, i, n))
		largest = max(largest, v)
		clear(x.Elements(i, 0, n))
		u.tiny[i] = max(ulp*(math.Abs(real(w[i]))+math.Abs(imag(w[i]))), factor.SmallestNormal/ulp*float64(n))
	}
	_, e := math.Frexp(largest)
	u.growth = math.Ldexp(1, min(400, 1000-e))
	for i := 0; i < n; i++ {
		if imag(w[i]) == 0 {
			x.X[i*x.Ld+i] = 1
			continue
		}
		q, first, second := squareAt(t, i), &x.X[i*x.Ld+i], &x.X[(i+1)*x.Ld+i+1]
		if math.Abs(q.b) >= math.Abs(q.c) {
			*first, *second = 1, imag(w[i])/q.b
		} else {
			*first, *second = -imag(w[i])/q.c, 1
		}
		i++
	}
	switch {
	case small:
		u.byRows()
	case n > 0:
		u.solve(0, n)
	}
	f := powers(work, n, x, w)
	for i := range n {
		for k, v := range x.Elements(i, 0, n) {
			x.X[i*x.Ld+k] = v * f[k]
		}
	}
}

// solve computes the rows [from, end) of X, after T times the rows below has been subtracted.
func (u *upper) solve(from, end int) {
	if order := blockOrder(u.t, u.n, from); end-from == order {
		if order == 1 {
			u.row(from)
		} else {
			u.rowPair(from)
		}
		return
	}
	mid := (from + end) / 2
	if blockOrder(u.t, u.n, mid-1) == 2 {
		mid++
	}
	u.solve(mid, end)
	t, x, b := u.t.Sub(from, mid), u.x.Sub(from, mid), u.x.Sub(mid, mid)
	u.bk.Dgemm(blas.NoTrans, blas.NoTrans, mid-from, u.n-mid, end-mid, -1, t.X, t.Ld, b.X, b.Ld, 1, x.X, x.Ld)
	u.solve(from, mid)
}

// row solves for row i, whose diagonal block has order 1.
func (u *upper) row(i int) {
	row, d := u.x.Elements(i, 0, u.n), u.t.X[i*u.t.Ld+i]
	for k := i + 1; k < u.n; k++ {
		w := u.w[k]
		if imag(w) == 0 {
			v := d - real(w)
			if math.Abs(v) < u.tiny[k] {
				v = u.tiny[k]
			}
			if !(math.Abs(row[k]) < u.growth*math.Abs(v)) {
				u.scale(k, 1, row[k], v)
			}
			row[k] /= v
			continue
		}
		v := complex(d-real(w), -imag(w))
		if size(v) < u.tiny[k] {
			v = complex(u.tiny[k], 0)
		}
		if r := size(complex(row[k], row[k+1])); !(r < u.growth*size(v)) {
			u.scale(k, 2, r, size(v))
		}
		r := over(complex(row[k], row[k+1]), v)
		row[k], row[k+1] = real(r), imag(r)
		k++
	}
}

// rowPair solves for rows i and i+1 of X, which share a diagonal block of order 2, by elimination with
// complete pivoting.
func (u *upper) rowPair(i int) {
	x, y, q := u.x.Elements(i, 0, u.n), u.x.Elements(i+1, 0, u.n), squareAt(u.t, i)
	b, c := complex(q.b, 0), complex(q.c, 0)
	for k := i + 2; k < u.n; k++ {
		w, columns := u.w[k], 1
		if imag(w) != 0 {
			columns = 2
		}
		// Order (p b; c p) so that the largest element comes first: a column or row exchange
		// makes it (b p; p c) or (c p; p b).
		p := complex(q.a-real(w), -imag(w))
		first, right, below, last := p, b, c, p
		byRows, byColumns := false, false
		if size(p) < max(math.Abs(q.b), math.Abs(q.c)) {
			right, below = p, p
			first, last, byColumns = b, c, true
			if math.Abs(q.b) < math.Abs(q.c) {
				first, last, byRows, byColumns = c, b, true, false
			}
		}
		l := over(below, first)
		pivot := last - times(l, right)
		if size(pivot) < u.tiny[k] {
			pivot = complex(u.tiny[k], 0)
		}
		load := func() (r, s complex128) {
			if columns == 1 {
				return complex(x[k], 0), complex(y[k], 0)
			}
			return complex(x[k], x[k+1]), complex(y[k], y[k+1])
		}
		r, s := load()
		if most := max(size(r), size(s)); !(most < u.growth*min(size(pivot), size(first))) {
			u.scale(k, columns, most, min(size(pivot), size(first)))
			r, s = load()
		}
		if byRows {
			r, s = s, r
		}
		s = over(s-times(l, r), pivot)
		r = over(r-times(right, s), first)
		if byColumns {
			r, s = s, r
		}
		x[k], y[k] = real(r), real(s)
		if columns == 2 {
			x[k+1], y[k+1] = imag(r), imag(s)
			k++
		}
	}
}

// scale multiplies columns k to k+columns-1 by a power of two that makes r/v about 2⁻¹⁰⁰ growth.
func (u *upper) scale(k, columns int, r, v float64) {
	_, er := math.Frexp(r)
	_, ev := math.Frexp(v)
	_, e := math.Frexp(u.growth)
	for i := range k + columns {
		row := u.x.Elements(i, k, k+columns)
		for j, x := range row {
			row[j] = math.Ldexp(x, ev-er+e-100)
		}
	}
}

// powers returns, for each column or pair of columns of the n×n matrix x, the power of two that makes
// its largest element about 1.
func powers(work *factor.Workspace, n int, x block.Matrix, w []complex128) []float64 {
	f := work.Zeros(n)
	for i := range n {
		for k, v := range x.Elements(i, 0, n) {
			f[k] = max(f[k], math.Abs(v))
		}
	}
	for k := 0; k < n; k++ {
		columns := f[k : k+1]
		if imag(w[k]) != 0 {
			columns = f[k : k+2]
			k++
		}
		_, e := math.Frexp(slices.Max(columns))
		for i := range columns {
			columns[i] = math.Ldexp(1, min(max(-e, -1020), 1020))
		}
	}
	return f
}

func size(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }

func times(a, b complex128) complex128 {
	return complex(
		float64(real(a)*real(b))-float64(imag(a)*imag(b)),
		float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// over returns a/b by Smith's formula, which does not overflow if the quotient is far from overflow.
func over(a, b complex128) complex128 {
	if imag(b) == 0 {
		return complex(real(a)/real(b), imag(a)/real(b))
	}
	if math.Abs(real(b)) >= math.Abs(imag(b)) {
		r := imag(b) / real(b)
		d := real(b) + float64(imag(b)*r)
		return complex((real(a)+float64(imag(a)*r))/d, (imag(a)-float64(real(a)*r))/d)
	}
	r := real(b) / imag(b)
	d := float64(real(b)*r) + imag(b)
	return complex((float64(real(a)*r)+imag(a))/d, (float64(imag(a)*r)-real(a))/d)
}
