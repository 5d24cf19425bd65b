package lapack

import "blskernel"

// getriPermuted overwrites the factors of an n×n A = P L U by A⁻¹. work holds as many columns of L as
// fit, one at least. (LAPACK: dgetri.)
func getriPermuted(bk blskernel.Backend, n int, a []float64, lda int, ipiv []int, work []float64) {
	getri(bk, n, a, lda, min(inverseColumns, n, len(work)/n), work)
	permuteColumns(bk, n, a, lda, interchanged(ipiv, true))
}
