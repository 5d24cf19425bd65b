package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// getrfComplete is LAPACK's dgetrf: it overwrites the m×n A, m and n positive, by L and U with A = P
// L U, where ipiv, of min(m, n) elements, says which row was exchanged with each. It returns whether
// U has no zero on its diagonal, and is complete in any case. Its workspace is luBase(m+23) numbers at
// most.
func getrfComplete(bk blskernel.Backend, m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	size := min(luBase, k) * panelStride(m)
	w := borrow(size)
	defer w.giveBack()
	ok = getrf(bk, m, k, a, lda, ipiv, luBase, w.take(size), true) == nil
	if m < n {
		rest := a[m:]
		interchangeRows(bk, n-m, rest, lda, ipiv)
		dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, m, n-m, 1, a, lda, rest, lda)
	}
	return ok
}
