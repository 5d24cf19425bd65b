// Package lu factors general matrices as P A = L U with partial pivoting, solves with L and U, and
// inverts A.
package lu

import (
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// GetrfBase is the number of columns at which Getrf stops halving and copies a panel to a workspace.
// Wider panels make longer products, but less of the panel stays in the L2 cache.
const GetrfBase = 48

// Getrf overwrites the m×n dense A with the L and U of P A = L U. It writes P to swap, of min(m, n)
// elements: row k was exchanged with row swap[k] >= k, for k = 0, 1, ... It halves the columns down to
// base (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997; LAPACK: dgetrf2), with a workspace of at most
// base(m+23) numbers.
//
// Like LAPACK, it completes the factorization whatever the pivots are; see BadPivot.
func Getrf(bk factor.Backend, base, m, n int, a block.Matrix, swap []int) {
	k := min(m, n)
	w := factor.Acquire()
	defer w.Release()
	f := getrf{bk: bk, base: base, work: w.Take(min(base, k) * panelStride(m))}
	f.factor(m, k, 0, a, swap)
	if m < n {
		f.update(m, m, m, n-m, a, swap)
	}
}

// BadPivot returns the first diagonal element of the n×n matrix U that is zero or not finite, or nil.
// It finds every overflow, since an infinity or NaN spreads to the diagonal.
func BadPivot(n int, u block.Matrix) *factor.Pivot {
	for k := range n {
		if d := u.X[u.Row(k)+k]; d == 0 || !factor.IsFinite(d) {
			return &factor.Pivot{Index: k, Value: d}
		}
	}
	return nil
}

// A getrf is one call of Getrf, with room for a panel of base columns in work.
type getrf struct {
	bk   factor.Backend
	base int
	work []float64
}

// factor is Getrf for m >= n. ready is the number of leading columns that are already factored: 0, n,
// half(n), half of that, ... While other threads update the right half, one factors its first columns.
func (f getrf) factor(m, n, ready int, a block.Matrix, swap []int) {
	switch {
	case n == ready:
		return
	case n <= f.base:
		x := block.Dense(f.work, panelStride(m))
		p := getf2{bk: f.bk, m: m, n: n, a: a, x: x, swap: swap}
		squares := (m + squareRows - 1) / squareRows
		factor.Rows(f.bk, squares, squareRows*n, p, getf2.load)
		p.factor(0, n)
		factor.Rows(f.bk, squares, squareRows*n, p, getf2.store)
		return
	}
	n1 := f.half(n)
	n2 := n - n1
	a22, below := a.Sub(n1, n1), m-n1
	f.factor(m, n1, ready, a, swap[:n1])
	// each and first are in flops. Narrow panels count twice: they are half as fast as products.
	each := float64(float64(n1) * float64(n1+2*below))
	first := func(cols int) float64 { return float64(cols) * (each + float64(2*float64(below)*float64(cols))) }
	cols := n2
	for cols > f.base && !f.bk.LooksAhead(first(cols), float64(n2-cols)*each) {
		cols = f.half(cols)
	}
	if f.bk.LooksAhead(first(cols), float64(n2-cols)*each) {
		rest := n2 - cols
		f.bk.Ahead(func() {
			f.update(m, n1, n1, cols, a, swap)
			f.factor(below, cols, 0, a22, swap[n1:n1+cols])
		}, first(cols), rest, factor.StripWidth(rest), each, func(from, to int) {
			f.update(m, n1, n1+cols+from, to-from, a, swap)
		})
	} else {
		f.update(m, n1, n1, n2, a, swap)
		cols = 0
	}
	f.factor(below, n2, cols, a22, swap[n1:n])
	factor.Laswp(f.bk, n1, a.Sub(n1, 0), swap[n1:n], false)
	for k := n1; k < n; k++ {
		swap[k] += n1
	}
}

// half returns the number of columns in the first half of n > base columns: a multiple of base.
func (f getrf) half(n int) int { return max((n/2+f.base/2)/f.base, 1) * f.base }

// update applies the elimination of the first n columns to cols columns from column j on.
func (f getrf) update(m, n, j, cols int, a block.Matrix, swap []int) {
	right := a.Sub(0, j)
	factor.Laswp(f.bk, cols, right, swap[:n], false)
	factor.Trsm(f.bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, cols, 1, a, right)
	if m > n {
		f.bk.Gemm(blas.NoTrans, blas.NoTrans, m-n, cols, n, -1, a.Sub(n, 0), right, 1, right.Sub(n, 0))
	}
}

// GetrfLibrary overwrites the n×n matrix a with the factors of P Aᵀ = L U, and swap with P. lib factors
// Aᵀ, since it takes the rows of a for columns.
func GetrfLibrary(lib backend.ColumnMajorLAPACK, n int, a block.Matrix, swap []int) {
	ipiv := make([]int32, n)
	lib.Dgetrf(n, n, a.X, a.Ld, ipiv)
	for k, i := range ipiv {
		swap[k] = int(i) - 1
	}
}
