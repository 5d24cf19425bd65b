package lapack

import "blskernel"

// getriPermuted overwrites the factors of an n×n A = P L U by A⁻¹. work holds as many columns of L as fit, one
// at least. (LAPACK: dgetri.)
func getriPermuted(bk blskernel.Backend, n int, a []float64, lda int, ipiv []int, work []float64) {
	getri(bk, n, a, lda, min(inverseColumns, n, len(work)/n), work)
	from, row := interchanged(ipiv, true), work[:n]
	for i := range n {
		dst := a[i*lda : i*lda+n]
		copy(row, dst)
		for j, k := range from {
			dst[j] = row[k]
		}
	}
}
