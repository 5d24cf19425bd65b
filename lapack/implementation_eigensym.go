package lapack

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor/eigensym"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// Dsyev writes the eigenvalues of the symmetric n×n A to the first n elements of w, in ascending
// order. It reads the triangle ul of a. For jobz = lapack.EVCompute it overwrites all of a by
// orthonormal eigenvectors, column j for w[j]; for lapack.EVNone it leaves a unchanged. The sign of a
// vector is arbitrary.
//
// Values take 4n³/3 flops and a workspace of its own of about n(n+200) numbers; vectors at most about
// 10n³/3 flops more, and n(4n+200) numbers. Vectors come by divide and conquer, as in LAPACK's dsyevd.
// The first lwork elements of work, at least max(1, 3n-1), are not used; if lwork is -1 it only writes
// that length to work[0].
//
// It returns false, with NaN in w, if A is not finite, and false, with w undefined, if the algorithm
// does not converge. a is then unchanged.
func (impl Implementation) Dsyev(jobz gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	need := max(1, 3*n-1)
	compute := jobz == gonumlapack.EVCompute
	good := (compute || jobz == gonumlapack.EVNone) && isUplo(ul) && n > 0 && lda >= n
	if good && lwork == -1 && len(work) > 0 {
		work[0] = float64(need)
		return false // as gonum does
	}
	if !good || lwork < need || len(work) < lwork || !holds(a, n, n, lda) || len(w) < n {
		ok = impl.Implementation.Dsyev(jobz, ul, n, a, lda, w, work, lwork)
	} else {
		routine := eigensym.Syev
		if n <= eigensym.SmallOrder {
			routine = eigensym.Small
		}
		ok = routine(impl.announce("Dsyev", n, n, 0), ul, compute, n, block.Dense(a, lda), w[:n])
	}
	work[0] = float64(need)
	return ok
}
