package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/packed"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Factorize computes P A Pᵀ = Uᵀ D U of a copy of a, which is not changed, in n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular where a pivot is exactly zero, so that A is
// singular, or within rounding of a singular matrix; its Index counts pivots in the order of
// elimination. It is an *ElementError that matches ErrNotFinite where a holds NaN or an infinity,
// and a *PivotError that matches it where the elimination overflows. After an error the receiver is
// empty. A nearly singular matrix is no error: RCond shows it. (LAPACK: dsptrf, with the pivots of
// dsytrf_rook and the factors of dsytrf_rk.)
func (f *LDLT) Factorize(a *mat.SymPacked) error {
	n := a.SymmetricDim()
	f.Reset()
	if err := checkFinitePacked("Dsptrf", n, a.RawSymPacked().Data, ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(n, packedCopy(a))
}

// FactorizeInPlace is Factorize without the copy: the factor overwrites the storage of a, which
// belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the input
// is found before anything is written; after every other error the contents of a are undefined.
// The workspace is 130n numbers.
func (f *LDLT) FactorizeInPlace(a *mat.SymPacked) error {
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	f.Reset()
	if err := checkFinitePacked("Dsptrf", n, ap, ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(n, ap)
}

// factorize overwrites ap by U, one panel of columns of L = Uᵀ, that is of rows of U, after the other.
func (f *LDLT) factorize(n int, ap []float64) error {
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dsptrf", M: n, N: n})
	pk := blskernel.Packed(bk)
	anorm := norm1Packed(n, ap)
	d := blockDiagonal{d: make([]float64, n), e: make([]float64, n)}
	swap := make([]int, n)
	var ends []int
	nb := min(f.panel(), n)
	l, w := make([]float64, nb*n), make([]float64, nb*n)
	for j := 0; j < n; {
		m := n - j
		p := ldltPanel{m: m, nb: nb, a: tail(ap, m), l: l, w: w, d: d.d[j:], e: d.e[j:], swap: swap[j:]}
		cols, err := p.eliminate(bk)
		if err != nil {
			err.Index += j
			return err
		}
		for k := j; k < j+cols; k++ {
			swap[k] += j
		}
		storeRows(ap, n, j, cols, l)
		if rest := m - cols; rest > 0 {
			pk.Dgemmtp(blas.Trans, blas.NoTrans, rest, cols, -1, l[cols:], m, w[cols:], m, 1, tail(ap, rest))
		}
		j += cols
		ends = append(ends, j)
	}
	exchangeColumns(n, ap, swap, ends)
	f.factorized, f.n, f.u, f.d, f.swap, f.anorm = true, n, ap, d, swap, anorm
	return nil
}

// exchangeColumns applies to every row of U the exchanges that were made after its panel was
// computed, so that U is a plain triangle; ends holds the row after the last one of each panel.
func exchangeColumns(n int, ap []float64, swap, ends []int) {
	i := 0
	for _, end := range ends {
		for ; i < end; i++ {
			row := ap[packed.Row(n, i):]
			for k := end; k < n; k++ {
				s := swap[k]
				row[k], row[s] = row[s], row[k]
			}
		}
	}
}

// An ldltPanel eliminates the first columns of the m×m packed symmetric matrix a. Columns of L and
// of W = L D are kept as rows of l and w, m apart; a is not updated beyond the panel and, as in
// LAPACK's dlasyf, the columns of a that are still needed are moved and not exchanged.
type ldltPanel struct {
	m, nb int
	a     []float64
	l, w  []float64
	d, e  []float64
	swap  []int
}

// bunchKaufman is (1+√17)/8, which makes the bounds on the growth by a 1×1 and by a 2×2 pivot equal.
var bunchKaufman = (1 + math.Sqrt(17)) / 8

// eliminate computes nb columns, or nb-1 where the last pivot would need one more, or all m, and
// returns their number.
func (p *ldltPanel) eliminate(bk blskernel.Backend) (int, *PivotError) {
	m, ld := p.m, p.m
	k := 0
	for k < m && (k < p.nb-1 || p.nb >= m) {
		wk := p.w[k*ld : k*ld+m]
		p.column(bk, wk, k, k)
		diag := math.Abs(wk[k])
		imax, colmax := absMax(wk[k+1:])
		imax += k + 1
		if !finite(wk[k]) || diag == 0 && colmax == 0 {
			err := &PivotError{Routine: "Dsptrf", Index: k, Pivot: wk[k], Err: ErrNotFinite}
			if allFinite(wk[k:]) {
				err.Err = ErrSingular
			}
			return 0, err
		}
		// The search goes from column to column, each through the largest element of the one before,
		// until a diagonal element is large enough, or an element is the largest of its row and of its
		// column: with w's row k the column kq and with row k+1 the column kp, a 2×2 pivot. It ends
		// since colmax grows with every step; it comes back to column k by rounding only.
		step, kq, kp := 1, k, k
		for diag < bunchKaufman*colmax {
			wi := p.w[(k+1)*ld : (k+1)*ld+m]
			p.column(bk, wi, k, imax)
			jmax, rowmax := absMax(wi[k:imax])
			jmax += k
			if at, below := absMax(wi[imax+1:]); below > rowmax {
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
			p.exchange(k, k+2, k, kq)
			p.swap[k] = kq
		}
		p.exchange(k, k+step, kk, kp)
		p.swap[kk] = kp
		if bad := p.divide(k, step); bad >= 0 {
			return 0, &PivotError{Routine: "Dsptrf", Index: bad, Pivot: p.d[bad], Err: ErrNotFinite}
		}
		k += step
	}
	return k, nil
}

// column writes column c of the matrix, from row k on and with the k eliminations so far, to dst.
func (p *ldltPanel) column(bk blskernel.Backend, dst []float64, k, c int) {
	m := p.m
	for r := k; r < c; r++ {
		dst[r] = p.a[packed.Row(m, r)+c]
	}
	at := packed.Row(m, c)
	copy(dst[c:m], p.a[at+c:at+m])
	if k > 0 {
		bk.Dgemv(blas.Trans, k, m-k, -1, p.w[k:], m, p.l[c:], m, 1, dst[k:], 1)
	}
}

// exchange exchanges rows and columns from and to of the matrix, of which k columns are eliminated
// and cols are up to date in w. Column from of a is moved only, since w has what it gets.
func (p *ldltPanel) exchange(k, cols, from, to int) {
	if from == to {
		return
	}
	m, a := p.m, p.a
	rf, rt := a[packed.Row(m, from):], a[packed.Row(m, to):]
	rt[to] = rf[from]
	for i := from + 1; i < to; i++ {
		a[packed.Row(m, i)+to] = rf[i]
	}
	copy(rt[to+1:m], rf[to+1:m])
	for c := range k {
		row := p.l[c*m:]
		row[from], row[to] = row[to], row[from]
	}
	for c := range cols {
		row := p.w[c*m:]
		row[from], row[to] = row[to], row[from]
	}
}

// divide makes columns of L of the columns of W from k on: L = W D⁻¹ for the pivot of the given
// size. It returns -1, or the index of a pivot that is not finite.
func (p *ldltPanel) divide(k, step int) int {
	m := p.m
	wk, lk := p.w[k*m:k*m+m], p.l[k*m:k*m+m]
	p.d[k], p.e[k] = wk[k], 0
	lk[k] = 1
	if !finite(wk[k]) {
		return k
	}
	if step == 1 {
		copy(lk[k+1:], wk[k+1:])
		divide(lk[k+1:], wk[k])
		return -1
	}
	wi, li := p.w[(k+1)*m:(k+2)*m], p.l[(k+1)*m:(k+2)*m]
	p.d[k+1], p.e[k+1] = wi[k+1], 0
	p.e[k] = wk[k+1]
	lk[k+1], li[k+1] = 0, 1
	if !finite(wi[k+1]) || !finite(wk[k+1]) {
		return k + 1
	}
	// D is divided by its off-diagonal element, its largest by far, so that nothing overflows.
	off := wk[k+1]
	d11, d22 := wi[k+1]/off, wk[k]/off
	t := 1 / (d11*d22 - 1)
	for r := k + 2; r < m; r++ {
		x, y := wk[r]/off, wi[r]/off
		lk[r] = t * (d11*x - y)
		li[r] = t * (d22*y - x)
	}
	return -1
}
