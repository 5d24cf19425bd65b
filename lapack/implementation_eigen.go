package lapack

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor/eigen"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

// Dgeev computes the eigenvalues wr + i·wi of the n×n A, which it overwrites, and as jobvl and jobvr
// ask the left and right eigenvectors u and v, u^H A = λ u^H and A v = λ v, in the columns of the n×n
// vl and vr. They have length 1. For a pair of complex eigenvalues, the one with a positive imaginary
// part first, the real part is in the first column and the imaginary part in the second, and the
// largest component is real. It takes some 25n³ flops with vectors of one kind, 10n³ without, and a
// workspace of its own of about n² numbers, 2n² with left vectors.
//
// It returns 0; or the index behind the last eigenvalue that did not converge, without vectors: n if A
// has a NaN or an infinity. The first lwork elements of work, at least max(1, 4n), or max(1, 3n)
// without vectors, are not used. If lwork is -1 it only writes that number to work[0].
func (impl Implementation) Dgeev(jobvl gonumlapack.LeftEVJob, jobvr gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi []float64, vl []float64, ldvl int, vr []float64, ldvr int, work []float64, lwork int) (first int) {
	left, right := jobvl == gonumlapack.LeftEVCompute, jobvr == gonumlapack.RightEVCompute
	least := max(1, 3*n)
	if left || right {
		least = max(1, 4*n)
	}
	good := (left || jobvl == gonumlapack.LeftEVNone) && (right || jobvr == gonumlapack.RightEVNone) &&
		n > 0 && lda >= n && ldvl >= 1 && ldvr >= 1 && (!left || ldvl >= n) && (!right || ldvr >= n)
	if good && lwork == -1 && len(work) > 0 && holds(a, n, n, lda) {
		work[0] = float64(least)
		return 0
	}
	if !good || lwork < least || len(work) < lwork || !holds(a, n, n, lda) || len(wr) != n || len(wi) != n ||
		left && !holds(vl, n, n, ldvl) || right && !holds(vr, n, n, ldvr) {
		unwritten(work, func(work []float64) {
			first = impl.Implementation.Dgeev(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork)
		})
		return first
	}
	bk := impl.announce("Dgeev", n, n, 0)
	w := make([]complex128, n)
	routine := eigen.Geev
	if n <= eigen.SmallOrder {
		routine = eigen.Small
	}
	first = routine(bk, n, block.Dense(a, lda), w, left, block.Dense(vl, ldvl), right, block.Dense(vr, ldvr))
	for i, v := range w {
		wr[i], wi[i] = real(v), imag(v)
	}
	work[0] = float64(least)
	return first
}
