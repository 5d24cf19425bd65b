package lapack

import (
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// An ldltPanel eliminates the first columns of the m×m packed symmetric matrix a. Columns of L are kept
// as rows of l, m apart, each in the place where its column of the matrix was brought up to date; a is
// not updated beyond the panel and, as in LAPACK's dlasyf, the columns of a that are still needed are
// moved and not exchanged.
type ldltPanel struct {
	on    block.Products
	bk    blskernel.Backend
	m, nb int
	a     block.Matrix
	l     []float64
	d, e  []float64
	swap  []int

	// What column is at.
	dst  []float64
	k, c int
	w    []float64 // D times column c of Lᵀ
}

// bunchKaufman is (1+√17)/8, which makes the bounds on the growth by a 1×1 and by a 2×2 pivot equal.
const bunchKaufman = 0.64038820320220756872767623199676

// eliminate computes nb columns, or nb-1 where the last pivot would need one more, or all m, and
// returns their number.
func (p *ldltPanel) eliminate() (int, *PivotError) {
	m := p.m
	k := 0
	for k < m && (k < p.nb-1 || p.nb >= m) {
		wk := p.row(k)
		p.column(wk, k, k)
		diag := math.Abs(wk[k])
		imax, colmax := p.on.AbsMax(wk[k+1:])
		imax += k + 1
		if !isFinite(wk[k]) || diag == 0 && colmax == 0 {
			err := &PivotError{Routine: "Dsptrf", Index: k, Pivot: wk[k], Err: ErrSingular}
			if bad := slices.IndexFunc(wk[k:], func(v float64) bool { return !isFinite(v) }); bad >= 0 {
				err.Pivot, err.Err = wk[k+bad], ErrNotFinite
			}
			return 0, err
		}
		// The search goes from column to column, each through the largest element of the one before,
		// until a diagonal element is large enough, or an element is the largest of its row and of its
		// column: with l's row k the column kq and with row k+1 the column kp, a 2×2 pivot. It ends
		// since colmax grows with every step; it comes back to column k by rounding only.
		step, kq, kp := 1, k, k
		for diag < bunchKaufman*colmax {
			wi := p.row(k + 1)
			p.column(wi, k, imax)
			jmax, rowmax := p.on.AbsMax(wi[k:imax])
			jmax += k
			if at, below := p.on.AbsMax(wi[imax+1:]); below > rowmax {
				jmax, rowmax = imax+1+at, below
			}
			if math.Abs(wi[imax]) >= bunchKaufman*rowmax {
				kp = imax
				copy(wk[k:], wi[k:])
				break
			}
			if jmax == kq || jmax == k || rowmax <= colmax {
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
		}
		p.exchange(k+step, kk, kp)
		p.swap[kk] = kp
		if bad, pivot := p.divide(k, step); bad >= 0 {
			return 0, &PivotError{Routine: "Dsptrf", Index: bad, Pivot: pivot, Err: ErrNotFinite}
		}
		k += step
	}
	return k, nil
}

// row returns row k of l.
func (p *ldltPanel) row(k int) []float64 { return p.l[k*p.m : (k+1)*p.m] }

// column writes column c of the matrix, from row k on and with the k eliminations so far, to dst.
func (p *ldltPanel) column(dst []float64, k, c int) {
	p.dst, p.k, p.c = dst, k, c
	for i := 0; i < k; i++ {
		x := p.l[i*p.m+c]
		if p.e[i] == 0 {
			p.w[i] = p.d[i] * x
			continue
		}
		y := p.l[(i+1)*p.m+c]
		p.w[i] = p.d[i]*x + p.e[i]*y
		p.w[i+1] = p.e[i]*x + p.d[i+1]*y
		i++
	}
	p.on.BlockRows(p.m-k, 4+k/8, p)
}

// Rows does the part of column for rows k+from to k+to.
func (p *ldltPanel) Rows(from, to int) {
	from, to = from+p.k, to+p.k
	// Above the diagonal the column is stored down the rows, and after it in row c.
	down := min(max(p.c, from), to)
	at, step := p.a.Row(from)+p.c, p.a.Row(from+1)-p.a.Row(from)
	for r := from; r < down; r++ {
		p.dst[r] = p.a.X[at]
		at += step
		step--
	}
	if down < to {
		across := p.a.Row(p.c)
		copy(p.dst[down:to], p.a.X[across+down:across+to])
	}
	if p.k > 0 {
		p.bk.Dgemv(blas.Trans, p.k, to-from, -1, p.l[from:], p.m, p.w, 1, 1, p.dst[from:], 1)
	}
}

// exchange exchanges rows and columns from and to of the matrix, of which cols columns are up to date
// in l. Column from of a is moved only, since l has what it gets.
func (p *ldltPanel) exchange(cols, from, to int) {
	if from == to {
		return
	}
	m, a := p.m, p.a
	rf, rt := a.X[a.Row(from):], a.X[a.Row(to):]
	rt[to] = rf[from]
	for i := from + 1; i < to; i++ {
		a.X[a.Row(i)+to] = rf[i]
	}
	copy(rt[to+1:m], rf[to+1:m])
	for c := range cols {
		row := p.row(c)
		row[from], row[to] = row[to], row[from]
	}
}

// divide makes columns of L of the columns of W = L D that l holds from row k on, for the pivot of the
// given size. It returns -1, or the index of a pivot that is not finite and the element of it that is
// not.
func (p *ldltPanel) divide(k, step int) (bad int, pivot float64) {
	wk := p.row(k)
	p.d[k], p.e[k] = wk[k], 0
	if !isFinite(wk[k]) {
		return k, wk[k]
	}
	if step == 1 {
		divide(wk[k+1:], wk[k])
		wk[k] = 1
		return -1, 0
	}
	wi := p.row(k + 1)
	p.d[k+1], p.e[k+1] = wi[k+1], 0
	p.e[k] = wk[k+1]
	for _, v := range []float64{wk[k+1], wi[k+1]} {
		if !isFinite(v) {
			return k + 1, v
		}
	}
	// D is divided by its off-diagonal element, its largest by far, so that nothing overflows.
	off := wk[k+1]
	d11, d22 := wi[k+1]/off, wk[k]/off
	t := 1 / (d11*d22 - 1)
	divide(wk[k+2:], off)
	divide(wi[k+2:], off)
	below := wi[k+2:]
	for r, x := range wk[k+2:] {
		y := below[r]
		wk[k+2+r] = t * (d11*x - y)
		below[r] = t * (d22*y - x)
	}
	wk[k], wk[k+1] = 1, 0
	wi[k+1] = 1
	return -1, 0
}
