package lapack

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// Dtrtri overwrites the triangle ul of a, a triangular n×n T, by T⁻¹, in n³/3 flops. It does not touch
// the other triangle, nor the diagonal if diag is blas.Unit. It returns false, and leaves a unchanged,
// if T has a zero on its diagonal.
func (impl Implementation) Dtrtri(ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) (ok bool) {
	if n < leastInverse || !isUplo(ul) || diag != blas.NonUnit && diag != blas.Unit || !holds(a, n, n, lda) {
		return impl.Implementation.Dtrtri(ul, diag, n, a, lda)
	}
	if singular(diag, n, a, lda) {
		return false
	}
	bk, done := impl.begin("Dtrtri", n, n, 0, cube(n)/3)
	defer done()
	lapack.Trtri(bk, ul, diag, n, block.Dense(a, lda))
	return true
}

// Dtrtrs overwrites the n×nrhs B by the solution X of op(T) X = B for the triangle ul of a, in n²·nrhs
// flops. It returns false, and leaves B unchanged, if T has a zero on its diagonal.
func (impl Implementation) Dtrtrs(ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, a []float64, lda int, b []float64, ldb int) (ok bool) {
	op, ok := isTranspose(t)
	if !ok || nrhs <= 0 || !isUplo(ul) || diag != blas.NonUnit && diag != blas.Unit || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) {
		return impl.Implementation.Dtrtrs(ul, t, diag, n, nrhs, a, lda, b, ldb)
	}
	if singular(diag, n, a, lda) {
		return false
	}
	bk, done := impl.begin("Dtrtrs", n, n, nrhs, float64(n)*float64(n)*float64(nrhs))
	defer done()
	lapack.Trtrs(bk, blas.Left, ul, op, diag, n, nrhs, block.Dense(a, lda), block.Dense(b, ldb))
	return true
}

// Dorgqr overwrites what Dgeqrf left in the first k columns of the m×n a, reflections below the
// diagonal and tau their k factors, by the first n columns of their product Q, 0 <= k <= n <= m. It
// takes 4mnk - 2(m+n)k² + 4k³/3 flops, which are 2n²(m - n/3) for k = n, and a workspace of its own of
// 32(m+n+32) numbers. The first lwork elements of work, at least max(1, n), are not needed from k = 40
// on. If lwork is -1 it only writes a length to work[0].
func (impl Implementation) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k < leastOrgqr || k > n || n > m || lwork < n || len(work) < lwork || !holds(a, m, n, lda) || len(tau) != k {
		impl.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	rows, cols, kk := float64(m), float64(n), float64(k)
	bk, done := impl.begin("Dorgqr", m, n, 0, 4*rows*cols*kk-2*(rows+cols)*kk*kk+4*cube(k)/3)
	defer done()
	lapack.Orgqr(bk, m, n, k, block.Dense(a, lda), tau)
	work[0] = float64(n)
}
