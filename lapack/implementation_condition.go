package lapack

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/internal/linalg/factor/lu"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// Dgecon estimates 1/(‖A‖ ‖A⁻¹‖) from Dgetrf's factors of the n×n matrix A and anorm = ‖A‖. The norm is
// the 1-norm for lapack.MaxColumnSum and the infinity norm for lapack.MaxRowSum. The estimate of ‖A⁻¹‖
// is a lower bound and rarely less than a third of ‖A⁻¹‖. Dgecon takes about 10n² flops.
//
// It returns 1 for n = 0, NaN if anorm is NaN, and 0 if A is singular or anorm is 0 or infinite. It
// also returns 0 if a solution is not finite: the condition number exceeds 2⁹⁶⁰, or a factor is not
// finite. work and iwork have at least 4n and n elements. (LAPACK: dgecon, dlacn2.)
func (impl Implementation) Dgecon(norm gonumlapack.MatrixNorm, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if norm != gonumlapack.MaxColumnSum && norm != gonumlapack.MaxRowSum || anorm < 0 || !holds(a, n, n, lda) || len(work) < 4*n || len(iwork) < n {
		return impl.Implementation.Dgecon(norm, n, a, lda, anorm, work, iwork)
	}
	bk, factors := announce(impl.Backend, "Dgecon", n, n, 0), block.Dense(a, lda)
	// P does not change the norms of A⁻¹.
	return rcondNorm(norm, n, anorm, func(x block.Matrix, trans bool) {
		lu.Getrs(bk, blas.Left, block.Trans(trans), n, 1, factors, nil, false, true, x)
	})
}

// Dpocon is Dgecon for the Cholesky factor that Dpotrf left in the triangle ul of a. A is symmetric, so
// its 1-norm and infinity norm are equal. work has at least 3n elements. (LAPACK: dpocon.)
func (impl Implementation) Dpocon(ul blas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if !isUplo(ul) || anorm < 0 || !holds(a, n, n, lda) || len(work) < 3*n || len(iwork) < n {
		return impl.Implementation.Dpocon(ul, n, a, lda, anorm, work, iwork)
	}
	bk, factor := announce(impl.Backend, "Dpocon", n, n, 0), block.Dense(a, lda)
	return rcondNorm(gonumlapack.MaxColumnSum, n, anorm, func(x block.Matrix, _ bool) {
		cholesky.Potrs(bk, blas.Left, ul, n, 1, factor, x)
	})
}

// Dtrcon is Dgecon for the triangle ul of a, with ones on the diagonal if diag is blas.Unit. It
// computes ‖A‖ itself, and takes about 6n² flops. work has at least 3n elements. (LAPACK: dtrcon.)
func (impl Implementation) Dtrcon(norm gonumlapack.MatrixNorm, ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int, work []float64, iwork []int) float64 {
	if norm != gonumlapack.MaxColumnSum && norm != gonumlapack.MaxRowSum || !isUplo(ul) || !isDiag(diag) || !holds(a, n, n, lda) || len(work) < 3*n || len(iwork) < n {
		return impl.Implementation.Dtrcon(norm, ul, diag, n, a, lda, work, iwork)
	}
	anorm := impl.Dlantr(norm, ul, diag, n, n, a, lda, work)
	bk, t := announce(impl.Backend, "Dtrcon", n, n, 0), block.Dense(a, lda)
	return rcondNorm(norm, n, anorm, func(x block.Matrix, trans bool) {
		factor.Trtrs(bk, blas.Left, ul, block.Trans(trans), diag, n, 1, t, x)
	})
}

// rcondNorm is condition.Con for the given norm, or NaN if anorm is NaN. For the infinity norm it
// inverts the argument trans of solve, since ‖A⁻¹‖∞ = ‖A⁻ᵀ‖₁.
func rcondNorm(norm gonumlapack.MatrixNorm, n int, anorm float64, solve func(x block.Matrix, trans bool)) float64 {
	if math.IsNaN(anorm) {
		return anorm
	}
	rows := norm == gonumlapack.MaxRowSum
	return condition.Con(n, anorm, func(x []float64, trans bool) { solve(block.Dense(x, 1), trans != rows) })
}
