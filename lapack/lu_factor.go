package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Factorize computes P A = L U of a copy of a, which is not changed, in 2n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular where a pivot is exactly zero, so that A is
// singular, or within rounding of a singular matrix. It is an *ElementError that matches ErrNotFinite
// where a holds NaN or an infinity, and a *PivotError that matches it where the elimination
// overflows. After an error the receiver is empty. A nearly singular matrix is no error: RCond shows
// it. Factorize panics with mat.ErrShape unless a is square. (LAPACK: dgetrf.)
func (f *LU) Factorize(a *mat.Dense) error {
	n, cols := a.Dims()
	checkShape(n == cols)
	f.Reset()
	if err := checkFinite("Dgetrf", a.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(denseCopy(a))
}

// FactorizeInPlace is Factorize without the copy: the factors overwrite the storage of a, which
// belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the input
// is found before anything is written; after every other error the contents of a are undefined.
// The workspace is 16n numbers.
func (f *LU) FactorizeInPlace(a *mat.Dense) error {
	n, cols := a.Dims()
	checkShape(n == cols)
	f.Reset()
	if err := checkFinite("Dgetrf", a.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(a.RawMatrix())
}

func (f *LU) factorize(a blas64.General) error {
	n := a.Rows
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgetrf", M: n, N: n})
	anorm := norm1(a)
	swap := make([]int, n)
	if n > 0 {
		base := f.baseColumns()
		if err := getrf(bk, n, n, a.Data, a.Stride, swap, base, make([]float64, min(base, n)*n)); err != nil {
			return err
		}
	}
	f.factorized, f.lu, f.swap, f.anorm = true, a, swap, anorm
	return nil
}

// getrf overwrites the m×n a, m >= n, by its factors L and U, by halves of its columns (Toledo, SIAM
// J. Matrix Anal. Appl. 18, 1997; LAPACK: dgetrf2). Row k was exchanged with row swap[k].
func getrf(bk blskernel.Backend, m, n int, a []float64, lda int, swap []int, base int, work []float64) *PivotError {
	if n <= base {
		return getrfPanel(m, n, a, lda, swap, work)
	}
	n1 := n / 2
	n2 := n - n1
	a12, a21, a22 := a[n1:], a[n1*lda:], a[n1*lda+n1:]
	if err := getrf(bk, m, n1, a, lda, swap[:n1], base, work); err != nil {
		return err
	}
	for k, s := range swap[:n1] {
		exchangeRows(n2, a12, lda, k, s)
	}
	trsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, a, lda, a12, lda)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m-n1, n2, n1, -1, a21, lda, a12, lda, 1, a22, lda)
	if err := getrf(bk, m-n1, n2, a22, lda, swap[n1:n], base, work); err != nil {
		err.Index += n1
		return err
	}
	for k := n1; k < n; k++ {
		exchangeRows(n1, a21, lda, k-n1, swap[k])
		swap[k] += n1
	}
	return nil
}

// getrfPanel is getrf for few columns: they are copied to work, each contiguous, and back. Every
// column is brought up to date by those before it when its turn comes.
func getrfPanel(m, n int, a []float64, lda int, swap []int, work []float64) *PivotError {
	for i := range m {
		for j, v := range a[i*lda : i*lda+n] {
			work[j*m+i] = v
		}
	}
	for j := range n {
		col := work[j*m : (j+1)*m]
		at, size := absMax(col[j:])
		s := j + at
		if size == 0 || !finite(size) || !finite(col[j]) {
			err := &PivotError{Routine: "Dgetrf", Index: j, Pivot: col[s], Err: ErrNotFinite}
			if allFinite(col[j:]) {
				err.Err = ErrSingular
			}
			return err
		}
		swap[j] = s
		for k := range n {
			c := work[k*m:]
			c[j], c[s] = c[s], c[j]
		}
		divide(col[j+1:], col[j])
		for k := j + 1; k < n; k++ {
			c := work[k*m : (k+1)*m]
			axpy(c[j+1:], -c[j], col[j+1:])
		}
	}
	for i := range m {
		row := a[i*lda : i*lda+n]
		for j := range row {
			row[j] = work[j*m+i]
		}
	}
	return nil
}

// axpy computes y += alpha*x.
func axpy(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}
