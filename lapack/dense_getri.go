package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// getriBlocks overwrites the factors of an n×n A = P L U by A⁻¹, the solution of (A⁻¹P) L = U⁻¹,
// block column after block column from the last (Method B of Higham, Accuracy and Stability of
// Numerical Algorithms, section 14.3; LAPACK: dgetri). work holds as many columns of L as fit, one at
// least.
func getriBlocks(bk blskernel.Backend, n int, a []float64, lda int, ipiv []int, work []float64) {
	dtrtri(bk, blas.Upper, blas.NonUnit, n, a, lda)
	nb := min(inverseColumns, n, len(work)/n)
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		cols := min(nb, n-j)
		// The columns j to j+cols of L, from row j on, leave room for the zeros of U⁻¹.
		for i := j; i < n; i++ {
			row := a[i*lda+j : i*lda+j+min(cols, i-j)]
			copy(work[(i-j)*cols:], row)
			clear(row)
		}
		if rest := n - j - cols; rest > 0 {
			bk.Dgemm(blas.NoTrans, blas.NoTrans, n, cols, rest, -1, a[j+cols:], lda, work[cols*cols:], cols, 1, a[j:], lda)
		}
		bk.Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.Unit, n, cols, 1, work, cols, a[j:], lda)
	}
	from, row := interchanged(ipiv, true), work[:n]
	for i := range n {
		dst := a[i*lda : i*lda+n]
		copy(row, dst)
		for j, k := range from {
			dst[j] = row[k]
		}
	}
}
