package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// getrfComplete is LAPACK's dgetrf: it overwrites the m×n A, m and n positive, by L and U with A = P
// L U, where ipiv, of min(m, n) elements, says which row was exchanged with each. It returns whether
// U has no zero on its diagonal, and is complete in any case. Its workspace is 64(m+23) numbers at
// most.
func getrfComplete(bk blskernel.Backend, m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	var work []float64
	if length := min(luBase, k) * panelStride(m); length <= len(square{}.u) {
		w := squares.Get().(*square)
		defer squares.Put(w)
		work = w.u[:]
	} else {
		work = make([]float64, length)
	}
	ok = getrfColumns(bk, m, k, a, lda, ipiv, work)
	if m < n {
		rest := a[m:]
		interchangeRows(n-m, rest, lda, ipiv)
		dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, m, n-m, 1, a, lda, rest, lda)
	}
	return ok
}

// getrfColumns is getrfComplete for n <= m, by halves of the columns down to the panels of getrf,
// which stops at a zero pivot and leaves a panel in which there is one as it found it; gonum's
// unblocked routine goes on to the end of that.
func getrfColumns(bk blskernel.Backend, m, n int, a []float64, lda int, ipiv []int, work []float64) (ok bool) {
	if n <= luBase {
		err := getrf(bk, m, n, a, lda, ipiv, luBase, work)
		return err == nil || gonum.Implementation{}.Dgetf2(m, n, a, lda, ipiv)
	}
	n1 := (n/2 + luBase - 1) / luBase * luBase
	n2 := n - n1
	a12, a21, a22 := a[n1:], a[n1*lda:], a[n1*lda+n1:]
	ok = getrfColumns(bk, m, n1, a, lda, ipiv[:n1], work)
	interchangeRows(n2, a12, lda, ipiv[:n1])
	dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, 1, a, lda, a12, lda)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m-n1, n2, n1, -1, a21, lda, a12, lda, 1, a22, lda)
	ok = getrfColumns(bk, m-n1, n2, a22, lda, ipiv[n1:n], work) && ok
	interchangeRows(n1, a21, lda, ipiv[n1:n])
	for k := n1; k < n; k++ {
		ipiv[k] += n1
	}
	return ok
}
