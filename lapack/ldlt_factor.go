package lapack

import (
	"slices"
	"sort"

	"blskernel"
	"blskernel/internal/block"
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
	anorm, err := norm1Packed(f.Backend, "Dsptrf", n, a.RawSymPacked().Data)
	if err != nil {
		return err
	}
	return f.factorize(n, packedCopy(a), anorm)
}

// FactorizeInPlace is Factorize without the copy: the factor overwrites the storage of a, which belongs
// to the receiver from then on; a must not be used any more. An ErrNotFinite of the input is found
// before anything is written; after every other error the contents of a are undefined. The workspace is
// a panel of 16n numbers, and 32n from n = 3000 on, beside vectors and the buffers of the backend; one
// without products of packed blocks of its own takes 400n more.
func (f *LDLT) FactorizeInPlace(a *mat.SymPacked) error {
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	f.Reset()
	anorm, err := norm1Packed(f.Backend, "Dsptrf", n, ap)
	if err != nil {
		return err
	}
	return f.factorize(n, ap, anorm)
}

// factorize overwrites ap by U, one panel of columns of L = Uᵀ, that is of rows of U, after the other.
func (f *LDLT) factorize(n int, ap []float64, anorm float64) error {
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dsptrf", M: n, N: n})
	defer blskernel.Hold(bk, cube(n)/3)()
	on := block.On(bk)
	d := blockDiagonal{d: make([]float64, n), e: make([]float64, n)}
	swap := make([]int, n)
	var ends []int
	nb := min(f.panel(n), n)
	work := borrow(nb*n + 2*nb)
	defer work.giveBack()
	l, lambda, w := work.take(nb*n), work.take(nb), work.take(nb)
	for j := 0; j < n; {
		m := n - j
		p := ldltPanel{on: on, bk: bk, m: m, nb: nb, a: block.Packed(n, ap, j, j), l: l, w: w, d: d.d[j:], e: d.e[j:], swap: swap[j:]}
		cols, err := p.eliminate()
		if err != nil {
			err.Index += j
			return err
		}
		for k := j; k < j+cols; k++ {
			swap[k] += j
		}
		block.CopyUpper(p.a, block.Dense(l, m), cols)
		if rest := m - cols; rest > 0 {
			for k := range cols {
				r := p.a.Row(k)
				copy(p.a.X[r+cols:r+m], l[k*m+cols:(k+1)*m])
			}
			for _, r := range d.part(j, cols).diagonalize(lambda) {
				r.rows(l[r.k*m+cols:(r.k+1)*m], l[(r.k+1)*m+cols:(r.k+2)*m])
			}
			on.BlockSyrk(blas.Trans, rest, cols, -1, block.Dense(l[cols:], m), lambda[:cols], p.a.Sub(cols, cols))
		}
		j += cols
		ends = append(ends, j)
	}
	exchangeColumns(on, n, ap, swap, ends)
	f.factorized, f.n, f.u, f.d, f.swap, f.anorm = true, n, ap, d, swap, anorm
	return nil
}

// exchangeColumns applies to every row of U the exchanges that were made after its panel was
// computed, so that U is a plain triangle; ends holds the row after the last one of each panel.
func exchangeColumns(on block.Products, n int, ap []float64, swap, ends []int) {
	exchangeRowsAlone(on, n, ap, swap, func(row int) int {
		at, _ := slices.BinarySearch(ends, row+1)
		return ends[at]
	}, false)
}

// exchangeRowsAlone exchanges elements k and swap[k] of each row of the packed ap, for k from
// first(row) to n-1, or backwards from n-1.
func exchangeRowsAlone(on block.Products, n int, ap []float64, swap []int, first func(row int) int, backwards bool) {
	type exchange struct{ k, s int }
	all := make([]exchange, 0, len(swap))
	for k, s := range swap {
		if s != k {
			all = append(all, exchange{k, s})
		}
	}
	if backwards {
		slices.Reverse(all)
	}
	on.BlockRows(n, 1+len(all)/2, block.RowFunc(func(from, to int) {
		for i := from; i < to; i++ {
			row, k := ap[block.PackedRow(n, i):], first(i)
			border := sort.Search(len(all), func(x int) bool { return (all[x].k >= k) != backwards })
			some := all[border:]
			if backwards {
				some = all[:border]
			}
			for _, x := range some {
				row[x.k], row[x.s] = row[x.s], row[x.k]
			}
		}
	}))
}
