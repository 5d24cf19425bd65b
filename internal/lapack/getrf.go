package lapack

import (
	"blskernel/internal/backend"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// GetrfBase is the number of columns at which Getrf stops halving and copies them out. Longer panels
// make longer products, and less of the panel stays in the second level of cache.
const GetrfBase = 48

// Getrf overwrites the m×n dense A by L and U with P A = L U, and swap, of min(m, n) elements, by P:
// row k was exchanged with row swap[k] >= k, for k = 0, 1, ... It halves the columns down to base
// (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997; LAPACK: dgetrf2), with a workspace of base(m+23)
// numbers at most.
//
// The first pivot that is zero or not finite ends it, and a is then undefined. If complete is set it
// goes on to the end as LAPACK does, and returns a pivot only if U has a zero on its diagonal.
func Getrf(bk Backend, base, m, n int, a block.Matrix, swap []int, complete bool) *Pivot {
	k := min(m, n)
	size := min(base, k) * panelStride(m)
	w := acquire(size)
	defer w.release()
	bad := getrf(bk, m, k, a, swap, base, w.take(size), complete)
	if m < n && (bad == nil || complete) {
		rest := a.Sub(0, m)
		Laswp(bk, n-m, rest, swap, false)
		Trsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, m, n-m, 1, a, rest)
	}
	return bad
}

// getrf is Getrf for m >= n, with room for a panel of base columns in work. A panel that fails leaves
// its columns unchanged; gonum's unblocked routine then completes them.
func getrf(bk Backend, m, n int, a block.Matrix, swap []int, base int, work []float64, complete bool) *Pivot {
	if n <= base {
		p := getf2{bk: bk, m: m, n: n, x: block.Dense(work, panelStride(m)), swap: swap}
		p.load(a)
		bad := p.factor(0, n)
		if bad == nil {
			p.store(a)
		} else if complete && (gonum.Implementation{}).Dgetf2(m, n, a.X, a.Ld, swap) {
			return nil
		}
		return bad
	}
	n1 := max((n/2+base/2)/base, 1) * base
	n2 := n - n1
	a12, a21, a22 := a.Sub(0, n1), a.Sub(n1, 0), a.Sub(n1, n1)
	bad := getrf(bk, m, n1, a, swap[:n1], base, work, complete)
	if bad != nil && !complete {
		return bad
	}
	Laswp(bk, n2, a12, swap[:n1], false)
	Trsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, 1, a, a12)
	bk.gemm(blas.NoTrans, blas.NoTrans, m-n1, n2, n1, -1, a21, a12, 1, a22)
	if later := getrf(bk, m-n1, n2, a22, swap[n1:n], base, work, complete); later != nil {
		later.Index += n1
		if !complete {
			return later
		}
		if bad == nil {
			bad = later
		}
	}
	Laswp(bk, n1, a21, swap[n1:n], false)
	for k := n1; k < n; k++ {
		swap[k] += n1
	}
	return bad
}

// GetrfLibrary overwrites the n×n a by the factors of P Aᵀ = L U, as a library that stores columns
// computes them.
func GetrfLibrary(lib backend.ColumnMajorLAPACK, n int, a block.Matrix, swap []int) *Pivot {
	ipiv := make([]int32, n)
	zero := lib.Dgetrf(n, n, a.X, a.Ld, ipiv) - 1
	// An overflow makes a row infinite or NaN, and so the diagonal, at the latest when that row
	// becomes a pivot.
	for k := range n {
		if d := a.X[a.Row(k)+k]; k == zero || !isFinite(d) {
			return &Pivot{k, d}
		}
		swap[k] = int(ipiv[k]) - 1
	}
	return nil
}
