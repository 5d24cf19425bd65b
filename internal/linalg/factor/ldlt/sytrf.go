// Package ldlt factors symmetric matrices, P A Pᵀ = Uᵀ D U, by rook pivoting (lasyf.go), solves with
// the factors and inverts them.
package ldlt

import (
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// PanelColumns returns nb, the number of columns that Sytrf eliminates together. The search for pivots
// updates one or two columns per pivot with Level 2 BLAS. These n²nb flops run at the speed of the
// cache and on few threads. This favors narrow panels. The trailing update passes over the matrix once
// per panel, with 2 memory operations and 2nb flops per element. This favors wide panels if no cache
// holds the matrix. The widths come from measurements for n = 300 to 5100 and panels of 16 to 96.
func PanelColumns(n int) int {
	if n < 3000 {
		return 16
	}
	return 32
}

// Sytrf overwrites the upper triangle of the symmetric n×n matrix a with the unit upper triangular U of
// P A Pᵀ = Uᵀ D U. It returns D and swap: P exchanges rows k and swap[k] >= k for k = 0, 1, ... Sytrf
// takes n³/3 flops, in panels of nb columns of L = Uᵀ. It stops at a pivot that is zero or not finite
// and returns it as bad. (LAPACK: dsytrf_rk, with rook pivoting.)
func Sytrf(bk factor.Backend, nb, n int, a block.Matrix) (d Diagonal, swap []int, bad *factor.Pivot) {
	d = diagonalOn(make([]float64, 2*n))
	swap = make([]int, n)
	var ends []int
	nb = min(nb, n)
	work := factor.Acquire()
	defer work.Release()
	l, lambda := work.Take(nb*n), work.Take(nb)
	p := lasyf{bk: bk, nb: nb, w: work.Take(nb), largest: make([]extreme, 1+n/columnPart)}
	for j := 0; j < n; {
		m := n - j
		p.m, p.a, p.l = m, a.Sub(j, j), block.Dense(l, m)
		p.d, p.e, p.swap = d.D[j:], d.E[j:], swap[j:]
		cols, bad := p.eliminate()
		if bad != nil {
			bad.Index += j
			return d, swap, bad
		}
		for k := j; k < j+cols; k++ {
			swap[k] += j
		}
		for k := range cols {
			copy(p.a.Elements(k, k, m), p.l.Elements(k, k, m))
		}
		if rest := m - cols; rest > 0 {
			for _, r := range d.part(j, cols).diagonalize(lambda) {
				bk.Rot(r.c, -r.s, p.l.Elements(r.k, cols, m), p.l.Elements(r.k+1, cols, m))
			}
			bk.BlockSyrk(blas.Trans, rest, cols, -1, p.l.Sub(0, cols), lambda[:cols], p.a.Sub(cols, cols))
		}
		j += cols
		ends = append(ends, j)
	}
	// The exchanges of later panels also apply to the rows of earlier ones.
	exchangeInRows(bk, n, a, swap, ends, false)
	return d, swap, nil
}

// exchangeInRows exchanges elements k and swap[k] of each row of the upper triangle of a, for k = 0, 1,
// ... or, if back is set, in reverse order. A row takes the exchanges after the end of its panel. ends
// has the ends of the panels, or is nil if each row is a panel.
func exchangeInRows(bk factor.Backend, n int, a block.Matrix, swap, ends []int, back bool) {
	none := true
	for k, s := range swap {
		none = none && s == k
	}
	if !none {
		factor.Rows(bk, n, 1+n/4, exchanges{a, swap, ends, back}, exchanges.inRows)
	}
}

// exchanges are the arguments of exchangeInRows.
type exchanges struct {
	a          block.Matrix
	swap, ends []int
	back       bool
}

func (e exchanges) inRows(i, end int) {
	for ; i < end; i++ {
		first := i + 1
		if e.ends != nil {
			at, _ := slices.BinarySearch(e.ends, first)
			first = e.ends[at]
		}
		factor.ExchangeElements(e.a.Elements(i, 0, len(e.swap)), e.swap, first, e.back)
	}
}
