package lapack

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// Dpotrf overwrites the triangle ul of the symmetric n×n A by its Cholesky factor, A = UᵀU or A = L Lᵀ,
// in n³/3 flops. It does not touch the other triangle. It returns false if A is not positive definite
// to working precision, or a pivot is not finite; the factor is then not complete.
func (impl Implementation) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	small := ul == blas.Upper && n < leastPotrfUpper || ul == blas.Lower && n < leastPotrfLower
	if small || !isUplo(ul) || !holds(a, n, n, lda) {
		return impl.Implementation.Dpotrf(ul, n, a, lda)
	}
	bk, done := impl.begin("Dpotrf", n, n, 0, cube(n)/3)
	defer done()
	return lapack.Potrf(bk, ul, lapack.Base, n, block.Dense(a, lda)) < 0
}

// Dpotri overwrites the factor that Dpotrf left in the triangle ul by that triangle of A⁻¹, in 2n³/3
// flops. It does not touch the other triangle. It returns false, and leaves a unchanged, if the factor
// has a zero on its diagonal.
func (impl Implementation) Dpotri(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n < leastInverse || !isUplo(ul) || !holds(a, n, n, lda) {
		return impl.Implementation.Dpotri(ul, n, a, lda)
	}
	if singular(blas.NonUnit, n, a, lda) {
		return false
	}
	bk, done := impl.begin("Dpotri", n, n, 0, 2*cube(n)/3)
	defer done()
	lapack.Potri(bk, ul, lapack.Base, n, block.Dense(a, lda))
	return true
}

// Dpotrs overwrites the n×nrhs B by the solution X of A X = B, in 2n²·nrhs flops, with the factor that
// Dpotrf left in the triangle ul of a.
func (impl Implementation) Dpotrs(ul blas.Uplo, n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	if nrhs <= 0 || !isUplo(ul) || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) {
		impl.Implementation.Dpotrs(ul, n, nrhs, a, lda, b, ldb)
		return
	}
	bk, done := impl.begin("Dpotrs", n, n, nrhs, 2*float64(n)*float64(n)*float64(nrhs))
	defer done()
	lapack.Potrs(bk, blas.Left, ul, n, nrhs, block.Dense(a, lda), block.Dense(b, ldb))
}
