package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// Dtrtri overwrites the triangle ul of a, a triangular n×n T, by T⁻¹, in n³/3 flops. The other
// triangle is not touched, and the diagonal is not changed if diag is blas.Unit. It returns false, and
// leaves a as it is, where T has a zero on its diagonal.
func (impl Implementation) Dtrtri(ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) (ok bool) {
	requireUplo(ul)
	requireDiag(diag)
	if !requireSquare(n, a, lda) {
		return true
	}
	if n < leastInverse {
		return impl.Implementation.Dtrtri(ul, diag, n, a, lda)
	}
	if singular(diag, n, a, lda) {
		return false
	}
	bk, done := impl.begin("Dtrtri", n, n, 0, cube(n)/3)
	defer done()
	dtrtri(bk, ul, diag, n, a, lda)
	return true
}

// Dtrtrs overwrites the n×nrhs B by the solution X of op(T) X = B for the triangle ul of a, in
// n²·nrhs flops. It returns false, and leaves B as it is, where T has a zero on its diagonal.
func (impl Implementation) Dtrtrs(ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, a []float64, lda int, b []float64, ldb int) (ok bool) {
	requireUplo(ul)
	requireTranspose(t)
	requireDiag(diag)
	requireSystem(n, nrhs, lda, ldb)
	if n == 0 {
		return true
	}
	requireLengths(n, nrhs, a, lda, b, ldb)
	if singular(diag, n, a, lda) {
		return false
	}
	if nrhs > 0 {
		bk, done := impl.begin("Dtrtrs", n, n, nrhs, float64(n)*float64(n)*float64(nrhs))
		defer done()
		solveLeft(bk, ul, t, diag, n, nrhs, a, lda, b, ldb)
	}
	return true
}

// solveLeft overwrites the n×nrhs B by the solution X of op(T) X = B for the triangle ul of a.
func solveLeft(bk blskernel.Backend, ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	if nrhs == 1 {
		bk.Dtrsv(ul, t, diag, n, a, lda, b, ldb)
		return
	}
	dtrsm(bk, blas.Left, ul, t, diag, n, nrhs, 1, a, lda, b, ldb)
}
