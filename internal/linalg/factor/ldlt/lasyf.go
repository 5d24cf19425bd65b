package ldlt

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A lasyf eliminates the first columns of the symmetric m×m matrix a by rook pivoting. A row of l holds
// an updated column, and later the column of L computed from it. A lasyf does not update a beyond the
// panel. Instead of exchanging columns of a, it moves the one still needed. (LAPACK: dlasyf_rk.)
type lasyf struct {
	bk    factor.Backend
	m, nb int
	a, l  block.Matrix
	d, e  []float64
	swap  []int

	// The arguments of column, kept for columnParts, and the largest element of each part.
	dst     []float64
	k, c    int
	w       []float64 // D times column c of Lᵀ
	largest []extreme
}

// An extreme is the index and the magnitude of an element of a vector.
type extreme struct {
	at   int
	size float64
}

// columnPart is the number of elements of a column that are updated together: they stay in the L1 cache
// until the largest is found, and are enough work for a thread.
const columnPart = 512

// quickSuccession multiplies the time estimates of columns and exchanges. They follow each other within
// microseconds and find the workers awake, so they are worth sharing at a quarter of the pool's usual
// threshold (measured at n = 2000 and 4000).
const quickSuccession = 4

// bunchKaufman is (1+√17)/8: two 1×1 pivots and one 2×2 pivot then have the same bound on growth.
const bunchKaufman = 0.64038820320220756872767623199676

// eliminate computes nb columns, nb-1 if the last pivot might need two, or all m if nb >= m. It returns
// their number. It stops at a pivot that is zero or not finite, and returns that pivot.
func (p *lasyf) eliminate() (int, *factor.Pivot) {
	m := p.m
	k := 0
	for k < m && (k < p.nb-1 || p.nb >= m) {
		wk := p.row(k)
		imax, colmax := p.column(wk, k, k)
		diag := math.Abs(wk[k])
		if !factor.IsFinite(wk[k]) || diag == 0 && colmax == 0 {
			if bad := slices.IndexFunc(wk[k:], func(v float64) bool { return !factor.IsFinite(v) }); bad >= 0 {
				return 0, &factor.Pivot{Index: k, Value: wk[k+bad]}
			}
			return 0, &factor.Pivot{Index: k, Value: wk[k]}
		}
		// The search goes from column to column: the row of the largest element of one column
		// is the next column. It ends at a large enough diagonal element, or with a 2×2 pivot
		// at an element that is the largest of its row and column. Rows k and k+1 of l then
		// hold columns kq and kp. colmax grows with every step, so the search ends.
		step, kq, kp := 1, k, k
		for diag < bunchKaufman*colmax {
			wi := p.row(k + 1)
			jmax, rowmax := p.column(wi, k, imax)
			// Columns kq and imax share an element, each with its own rounding errors. If
			// little else is left of A, the two values differ much, and the larger one is
			// right for both.
			if rowmax <= colmax {
				jmax, rowmax = kq, colmax
			}
			if math.Abs(wi[imax]) >= bunchKaufman*rowmax {
				kp = imax
				copy(wk[k:], wi[k:])
				break
			}
			if jmax == kq {
				if colmax < 0.999*rowmax {
					wk[imax] = wi[kq]
				}
				step, kp = 2, imax
				break
			}
			kq, imax, colmax = imax, jmax, rowmax
			copy(wk[k:], wi[k:])
		}
		kk := k + step - 1
		if step == 2 {
			p.exchange(k+2, k, kq)
			p.swap[k] = kq
			if kp == k { // rounding led back to column k, which is now at kq
				kp = kq
			}
		}
		p.exchange(k+step, kk, kp)
		p.swap[kk] = kp
		if bad := p.divide(k, step); bad != nil {
			return 0, bad
		}
		k += step
	}
	return k, nil
}

func (p *lasyf) row(k int) []float64 { return p.l.X[k*p.m : (k+1)*p.m] }

// column writes column c of the matrix to dst, from row k on, after k eliminations. It returns the
// index and magnitude of the first largest element other than dst[c]. If all are 0 or NaN, size is 0.
func (p *lasyf) column(dst []float64, k, c int) (at int, size float64) {
	p.dst, p.k, p.c = dst, k, c
	for i := 0; i < k; i++ {
		x := p.l.X[i*p.m+c]
		if p.e[i] == 0 {
			p.w[i] = p.d[i] * x
			continue
		}
		y := p.l.X[(i+1)*p.m+c]
		p.w[i] = float64(p.d[i]*x) + float64(p.e[i]*y)
		p.w[i+1] = float64(p.e[i]*x) + float64(p.d[i+1]*y)
		i++
	}
	parts := (p.m - k + columnPart - 1) / columnPart
	factor.Rows(p.bk, parts, quickSuccession*columnPart*(4+k/8), p, (*lasyf).columnParts)
	for _, l := range p.largest[:parts] {
		if l.size > size {
			at, size = l.at, l.size
		}
	}
	return at, size
}

// columnParts computes the parts [part, end) of the column that column writes.
func (p *lasyf) columnParts(part, end int) {
	for ; part < end; part++ {
		from := p.k + part*columnPart
		to := min(from+columnPart, p.m)
		// Above the diagonal, the column is stored in column c of a; from the diagonal on, in
		// row c.
		down := min(max(p.c, from), to)
		at := p.a.Row(from) + p.c
		step, change := p.a.Down(from)
		for r := from; r < down; r++ {
			p.dst[r] = p.a.X[at]
			at += step
			step += change
		}
		if down < to {
			copy(p.dst[down:to], p.a.Elements(p.c, down, to))
		}
		if p.k > 0 {
			p.bk.Dgemv(blas.Trans, p.k, to-from, -1, p.l.X[from:], p.l.Ld, p.w, 1, 1, p.dst[from:], 1)
		}
		l := &p.largest[part]
		l.at, l.size = p.bk.AbsMax(p.dst[from:down])
		l.at += from
		if down < to {
			after := down
			if down == p.c {
				after++
			}
			if at, size := p.bk.AbsMax(p.dst[after:to]); size > l.size {
				l.at, l.size = after+at, size
			}
		}
	}
}

// exchange exchanges rows and columns from and to of the matrix, and elements from and to of the first
// cols rows of l. In a, only column from moves, to the place of column to: l holds column to.
func (p *lasyf) exchange(cols, from, to int) {
	if from == to {
		return
	}
	m, a := p.m, p.a
	rf, rt := a.X[a.Row(from):], a.X[a.Row(to):]
	rt[to] = rf[from]
	at := a.Row(from+1) + to
	step, change := a.Down(from + 1)
	for i := from + 1; i < to; i++ {
		a.X[at] = rf[i]
		at += step
		step += change
	}
	copy(rt[to+1:m], rf[to+1:m])
	for c := range cols {
		row := p.row(c)
		row[from], row[to] = row[to], row[from]
	}
}

// divide turns the columns of W = L D that l holds from row k on into columns of L, for a pivot of
// order step. It returns nil, or the first element of the pivot that is not finite.
func (p *lasyf) divide(k, step int) *factor.Pivot {
	wk := p.row(k)
	p.d[k], p.e[k] = wk[k], 0
	if !factor.IsFinite(wk[k]) {
		return &factor.Pivot{Index: k, Value: wk[k]}
	}
	if step == 1 {
		factor.Divide(p.bk, wk[k+1:], wk[k])
		wk[k] = 1
		return nil
	}
	wi := p.row(k + 1)
	p.d[k+1], p.e[k+1] = wi[k+1], 0
	p.e[k] = wk[k+1]
	for _, v := range []float64{wk[k+1], wi[k+1]} {
		if !factor.IsFinite(v) {
			return &factor.Pivot{Index: k + 1, Value: v}
		}
	}
	// The pivot is divided by its off-diagonal element, the largest, so that nothing overflows.
	off := wk[k+1]
	d11, d22 := wi[k+1]/off, wk[k]/off
	t := 1 / (float64(d11*d22) - 1)
	factor.Divide(p.bk, wk[k+2:], off)
	factor.Divide(p.bk, wi[k+2:], off)
	below := wi[k+2:]
	for r, x := range wk[k+2:] {
		y := below[r]
		wk[k+2+r] = t * (float64(d11*x) - y)
		below[r] = t * (float64(d22*y) - x)
	}
	wk[k], wk[k+1] = 1, 0
	wi[k+1] = 1
	return nil
}
