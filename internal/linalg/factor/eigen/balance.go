package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
)

// A balance is a permutation P and a scaling D, by powers of two, with A = P D B D⁻¹ Pᵀ. B is upper
// triangular except in rows and columns ilo to ihi, where row i and column i have similar norms.
type balance struct {
	n, ilo, ihi int
	scale       []float64 // in rows ilo to ihi the elements of D; elsewhere the row exchanged with this one
	columns     []float64 // the squared norms of the columns
}

// gebal balances the n×n matrix a in place. All elements must be below 2⁵⁰⁰ in magnitude. (James,
// Langou and Lowery, On matrix balancing and eigenvector computation, 2014; LAPACK: dgebal.)
func gebal(bk factor.Backend, w *factor.Workspace, n int, a block.Matrix) balance {
	b := balance{n: n, ihi: n - 1, scale: w.Take(n), columns: w.Take(n)}
	for i := range b.scale {
		b.scale[i] = 1
	}
	isolated := func(i, down, across int) bool {
		for j := b.ilo; j <= b.ihi; j++ {
			if j != i && a.X[i*down+j*across] != 0 {
				return false
			}
		}
		return true
	}
	for i := b.ihi; i >= 0 && b.ihi > 0; i-- { // rows that are zero off the diagonal go down
		if isolated(i, a.Ld, 1) {
			b.exchange(a, i, b.ihi)
			b.ihi--
			i = b.ihi + 1
		}
	}
	for j := 0; j <= b.ihi && b.ilo < b.ihi; j++ { // columns that are zero off the diagonal go left
		if isolated(j, 1, a.Ld) {
			b.exchange(a, j, b.ilo)
			b.ilo++
			j = b.ilo - 1
		}
	}
	for b.equalize(bk, a) {
	}
	return b
}

func (b *balance) exchange(a block.Matrix, i, k int) {
	b.scale[k] = float64(i)
	factor.Exchange(a.Elements(i, 0, b.n), a.Elements(k, 0, b.n))
	for r := range b.n {
		row := a.Elements(r, 0, b.n)
		row[i], row[k] = row[k], row[i]
	}
}

// equalize makes one pass over the indices ilo to ihi. It scales each row and its column if their norms
// differ too much, and reports whether it has scaled any.
func (b *balance) equalize(bk factor.Backend, a block.Matrix) (changed bool) {
	n := b.ihi - b.ilo + 1
	m := a.Sub(b.ilo, b.ilo)
	// One pass along the rows gives the norms of the columns, which are valid until one is scaled.
	columns := b.columns[:n]
	clear(columns)
	for i := range n {
		for j, v := range m.Elements(i, 0, n) {
			columns[j] += float64(v * v)
		}
	}
	for i := range n {
		c := math.Sqrt(columns[i])
		if changed || !(columns[i] > 0x1p-900 && columns[i] < 0x1p1000) {
			c = bk.Dnrm2(n, m.X[i:], m.Ld)
		}
		r := norm(bk, m.Elements(i, 0, n))
		if c == 0 || r == 0 {
			continue
		}
		if f := b.factor(bk, a, b.ilo+i, c, r); f != 1 {
			b.scale[b.ilo+i] *= f
			bk.Dscal(b.n-b.ilo, 1/f, a.Elements(b.ilo+i, b.ilo, b.n), 1)
			bk.Dscal(b.ihi+1, f, a.X[b.ilo+i:], a.Ld)
			changed = true
		}
	}
	return changed
}

func norm(bk factor.Backend, x []float64) float64 {
	squares := 0.0
	for _, v := range x {
		squares += float64(v * v)
	}
	if squares > 0x1p-900 && squares < 0x1p1000 {
		return math.Sqrt(squares)
	}
	return bk.Dnrm2(len(x), x, 1)
}

// factor returns the power of two by which to multiply column i, of norm c, and divide row i, of norm
// r. It returns 1 if that would lower the sum of the norms by at most 5%, or overflow or underflow.
func (b *balance) factor(bk factor.Backend, a block.Matrix, i int, c, r float64) float64 {
	const least = factor.SmallestNormal / ulp * 2
	f, sum := 1.0, c+r
	if c < r/2 || r <= c/2 {
		column := 0.0
		for j := range b.ihi + 1 {
			column = max(column, math.Abs(a.X[j*a.Ld+i]))
		}
		_, row := bk.AbsMax(a.Elements(i, b.ilo, b.n))
		for c < r/2 && max(f, c, column) < 1/least && min(r, r/2, row) > least {
			f, c, column, r, row = f*2, c*2, column*2, r/2, row/2
		}
		for r <= c/2 && max(r, row) < 1/least && min(f, c/2, column) > least {
			f, c, column, r, row = f/2, c/2, column/2, r*2, row*2
		}
	}
	scale := b.scale[i]
	if c+r >= 0.95*sum || f < 1 && scale < 1 && f*scale <= least || f > 1 && scale > 1 && scale >= 1/least/f {
		return 1
	}
	return f
}

// gebak turns eigenvectors of the balanced matrix, in the columns of v, into eigenvectors of the
// original matrix: left ones if left is set, and otherwise right ones. (LAPACK: dgebak.)
func (b *balance) gebak(bk factor.Backend, left bool, v block.Matrix) {
	for i := b.ilo; i <= b.ihi; i++ {
		f := b.scale[i]
		if left {
			f = 1 / f
		}
		if f != 1 {
			bk.Dscal(b.n, f, v.Elements(i, 0, b.n), 1)
		}
	}
	swap := func(i int) { factor.Exchange(v.Elements(i, 0, b.n), v.Elements(int(b.scale[i]), 0, b.n)) }
	for i := b.ilo - 1; i >= 0; i-- {
		swap(i)
	}
	for i := b.ihi + 1; i < b.n; i++ {
		swap(i)
	}
}
