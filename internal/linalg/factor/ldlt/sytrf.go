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
	d = Diagonal{D: make([]float64, n), E: make([]float64, n)}
	swap = make([]int, n)
	var ends []int
	nb = min(nb, n)
	work := factor.Acquire()
	defer work.Release()
	l, lambda, w := work.Take(nb*n), work.Take(nb), work.Take(nb)
	for j := 0; j < n; {
		m := n - j
		p := lasyf{bk: bk, m: m, nb: nb, a: a.Sub(j, j), l: block.Dense(l, m), w: w, d: d.D[j:], e: d.E[j:], swap: swap[j:]}
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
	exchangeInRows(bk, n, a, swap, func(row int) int {
		at, _ := slices.BinarySearch(ends, row+1)
		return ends[at]
	}, false)
	return d, swap, nil
}

// exchangeInRows exchanges elements k and swap[k] of each row of the upper triangle of a, for k from
// first(row) to n-1, or in reverse order if backwards is set. first must not decrease from row to row.
//
// It applies all exchanges of a row in one pass over its elements. From the last row up, each row has
// the exchanges of the row below and some earlier ones.
func exchangeInRows(bk factor.Backend, n int, a block.Matrix, swap []int, first func(row int) int, backwards bool) {
	none := true
	for k, s := range swap {
		none = none && s == k
	}
	if none {
		return
	}
	bk.BlockRows(n, 1+n/4, func(from, to int) {
		w := factor.Acquire()
		defer w.Release()
		old := w.Take(n)
		// If backwards is set, element j comes from source[j]; otherwise it goes to source[j].
		source := make([]int32, n)
		for j := range source {
			source[j] = int32(j)
		}
		k := n
		for i := to - 1; i >= from; i-- {
			for end := first(i); k > end; {
				k--
				source[k], source[swap[k]] = source[swap[k]], source[k]
			}
			row := a.Elements(i, 0, n)
			copy(old[k:], row[k:])
			if backwards {
				for j, s := range source[k:] {
					row[k+j] = old[s]
				}
			} else {
				for j, s := range source[k:] {
					row[s] = old[k+j]
				}
			}
		}
	})
}
