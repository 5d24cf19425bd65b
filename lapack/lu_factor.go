package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Factorize computes P A = L U of a copy of a, which is not changed, in 2n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular where a pivot is exactly zero, so that A is
// singular, or within rounding of a singular matrix. It is an *ElementError that matches ErrNotFinite
// where a holds NaN or an infinity, and a *PivotError that matches it where the elimination
// overflows. After an error the receiver is empty. A nearly singular matrix is no error: RCond shows
// it. Factorize panics with mat.ErrShape unless a is square. (LAPACK: dgetrf.)
func (f *LU) Factorize(a *mat.Dense) error {
	if err := f.examine(a.RawMatrix()); err != nil {
		return err
	}
	return f.factorize(denseCopy(a))
}

// FactorizeInPlace is Factorize without the copy: the factors overwrite the storage of a, which
// belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the input
// is found before anything is written; after every other error the contents of a are undefined.
// The workspace is 48n numbers and some more, or n with a library's LAPACK.
func (f *LU) FactorizeInPlace(a *mat.Dense) error {
	if err := f.examine(a.RawMatrix()); err != nil {
		return err
	}
	return f.factorize(a.RawMatrix())
}

// examine empties the receiver, checks a and keeps what has to be known of it.
func (f *LU) examine(a blas64.General) error {
	checkShape(a.Rows == a.Cols)
	f.Reset()
	norm, amax := measure(blskernel.Or(f.Backend), a)
	if !isFinite(norm) { // which a sum of finite numbers need not be
		if err := checkFinite("Dgetrf", a, ErrNotFinite); err != nil {
			return err
		}
	}
	f.anorm, f.amax = norm, amax
	return nil
}

func (f *LU) factorize(a blas64.General) error {
	n := a.Rows
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgetrf", M: n, N: n})
	swap := make([]int, n)
	var err *PivotError
	library, found := blskernel.ColumnMajor(bk)
	switch {
	case n == 0:
	case found:
		err = dgetrf(library, n, a.Data, a.Stride, swap)
	default:
		defer blskernel.Hold(bk, 2*cube(n)/3)()
		base := f.panelColumns()
		size := min(base, n) * panelStride(n)
		w := borrow(size)
		err = getrf(bk, n, n, a.Data, a.Stride, swap, base, w.take(size), false)
		w.giveBack()
	}
	if err != nil {
		f.Reset()
		return err
	}
	f.factorized, f.lu, f.swap = true, a, swap
	f.columnMajor = library
	return nil
}

func (f *LU) panelColumns() int {
	if f.base > 0 {
		return f.base
	}
	return luBase
}

// luBase is the number of columns at which the recursion over columns stops and they are copied out.
// The more there are, the longer are the sums of the products that are left, and the less of the panel
// stays in the second level of cache.
const luBase = 48

// getrf overwrites the m×n a, m >= n, by its factors L and U, by halves of its columns (Toledo, SIAM
// J. Matrix Anal. Appl. 18, 1997; LAPACK: dgetrf2). Row k was exchanged with row swap[k]. work is room
// for a panel of base columns.
//
// The error is that of the first pivot that is zero or not finite. If complete, the factorization goes
// on to the end all the same, as LAPACK's does, and it is only an error if U has a zero on its
// diagonal. A panel that fails leaves its columns as it found them; gonum's unblocked routine does not
// stop there.
func getrf(bk blskernel.Backend, m, n int, a []float64, lda int, swap []int, base int, work []float64, complete bool) *PivotError {
	if n <= base {
		p := luPanel{bk: bk, m: m, n: n, x: work, ld: panelStride(m), swap: swap}
		p.load(a, lda)
		err := p.factor(0, n)
		if err == nil {
			p.store(a, lda)
		} else if complete && (gonum.Implementation{}).Dgetf2(m, n, a, lda, swap) {
			return nil
		}
		return err
	}
	n1 := max((n/2+base/2)/base, 1) * base
	n2 := n - n1
	a12, a21, a22 := a[n1:], a[n1*lda:], a[n1*lda+n1:]
	err := getrf(bk, m, n1, a, lda, swap[:n1], base, work, complete)
	if err != nil && !complete {
		return err
	}
	interchangeRows(bk, n2, a12, lda, swap[:n1])
	dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, 1, a, lda, a12, lda)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m-n1, n2, n1, -1, a21, lda, a12, lda, 1, a22, lda)
	if later := getrf(bk, m-n1, n2, a22, lda, swap[n1:n], base, work, complete); later != nil {
		later.Index += n1
		if !complete {
			return later
		}
		if err == nil {
			err = later
		}
	}
	interchangeRows(bk, n1, a21, lda, swap[n1:n])
	for k := n1; k < n; k++ {
		swap[k] += n1
	}
	return err
}

// axpy computes y += alpha*x.
func axpy(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}
