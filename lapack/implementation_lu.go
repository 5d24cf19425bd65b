package lapack

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// Dgetrf overwrites the m×n A by L below the diagonal, which has a diagonal of ones, and U on and above
// it, where A = P L U: row i was exchanged with row ipiv[i], counted from 0, for i = 0, 1, ..., min(m,
// n)-1. It takes 2n³/3 flops for m = n, and a workspace of at most 48(m+23) numbers of its own. It
// returns false if U has a zero on its diagonal; the factorization is complete all the same.
func (impl Implementation) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	if min(m, n) < leastGetrf || !holds(a, m, n, lda) || len(ipiv) != min(m, n) {
		return impl.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	k := float64(min(m, n))
	bk, done := impl.begin("Dgetrf", m, n, 0, k*k*(float64(max(m, n))-k/3))
	defer done()
	return lapack.Getrf(bk, lapack.GetrfBase, m, n, block.Dense(a, lda), ipiv, true) == nil
}

// inverseColumns is the number of columns of the inverse that Dgetri computes at a time, if the
// workspace holds them.
const inverseColumns = 64

// Dgetri overwrites what Dgetrf left of an n×n A by A⁻¹, in 4n³/3 flops. It returns false, and leaves a
// unchanged, if U has a zero on its diagonal.
//
// The first lwork elements of work, at least max(1, n), are workspace; work[0] is then the length with
// which it is fastest. If lwork is -1 it only writes that to work[0].
func (impl Implementation) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) (ok bool) {
	best := float64(max(1, n*min(n, inverseColumns)))
	if lwork == -1 && n >= 0 && lda >= max(1, n) && len(work) > 0 {
		work[0] = best
		return true
	}
	if n < leastInverse || lwork < n || len(work) < lwork || !holds(a, n, n, lda) || len(ipiv) != n {
		return impl.Implementation.Dgetri(n, a, lda, ipiv, work, lwork)
	}
	if singular(blas.NonUnit, n, a, lda) {
		return false
	}
	bk, done := impl.begin("Dgetri", n, n, 0, 4*cube(n)/3)
	defer done()
	lapack.Getri(bk, min(inverseColumns, n, lwork/n), n, block.Dense(a, lda), ipiv, work)
	work[0] = best
	return true
}

// Dgetrs overwrites the n×nrhs B by the solution X of op(A) X = B, in 2n²·nrhs flops, with what Dgetrf
// left of an n×n A. op(A) is A if t is blas.NoTrans and Aᵀ otherwise.
func (impl Implementation) Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int, b []float64, ldb int) {
	op, ok := isTranspose(t)
	if !ok || nrhs <= 0 || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) || len(ipiv) != n {
		impl.Implementation.Dgetrs(t, n, nrhs, a, lda, ipiv, b, ldb)
		return
	}
	bk, done := impl.begin("Dgetrs", n, n, nrhs, 2*float64(n)*float64(n)*float64(nrhs))
	defer done()
	lapack.Getrs(bk, blas.Left, op, n, nrhs, block.Dense(a, lda), ipiv, false, true, block.Dense(b, ldb))
}
