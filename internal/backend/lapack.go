package backend

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// ColumnMajorLAPACK are LAPACK routines of the library behind a Backend, in Fortran's terms. The
// backend openblas has them unless its library was built without LAPACK.
//
// Matrices are stored by columns: element (i, j) of A is a[i+j*lda], lda >= max(1, m) for m rows.
// Elements between the columns are not touched. A matrix stored by rows is the transpose: blas.Upper by
// rows is blas.Lower here, the upper triangle packed by rows is the lower triangle packed by columns,
// and the inverse of Aᵀ by columns is A⁻¹ by rows.
//
// A routine reads and writes the triangle ul of a symmetric matrix and does not touch the other. Packed
// storage ap has n(n+1)/2 elements: the columns of the triangle one after the other. ipiv and info
// count rows from 1. info is 0 on success and positive if the matrix is the cause, as each routine
// says. NaN and Inf in a matrix give undefined elements and info. Arguments must not overlap.
//
// Illegal arguments and short slices panic with constant texts, those of the BLAS if it has one. So do
// a size, or n(n+1) of packed storage, beyond the library's 32-bit integers. SetThreads bounds the
// threads.
type ColumnMajorLAPACK interface {
	// Dpotrf overwrites the triangle ul of a symmetric positive definite A by U with A = UᵀU or L
	// with A = LLᵀ, in n³/3 flops. A positive info is the order of a leading minor that is not
	// positive; the elimination stops there.
	Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dpotri overwrites the factor of Dpotrf by the triangle ul of A⁻¹, in 2n³/3 flops. If info is
	// positive, that diagonal element of the factor is zero and there is no inverse.
	Dpotri(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dgetrf overwrites the m×n A by L below the diagonal, with a unit diagonal, and U on and above
	// it, where P·A = L·U, in 2n³/3 flops for m = n. P exchanges rows i and ipiv[i-1] for i = 1, 2,
	// ..., min(m, n). If info is positive, that diagonal element of U is zero; the factorization is
	// complete.
	Dgetrf(m, n int, a []float64, lda int, ipiv []int32) (info int)

	// Dgetri overwrites the factors of Dgetrf of an n×n A by A⁻¹, in 4n³/3 flops. work has at least
	// n elements, and 64n for the blocked algorithm. If info is positive, that diagonal element of
	// U is zero and A is not inverted.
	Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dgetrs overwrites the n×nrhs B by the solution X of op(A)·X = B, in 2n²·nrhs flops, with the
	// factors of Dgetrf of an n×n A. It returns 0; a zero on the diagonal of U gives Inf.
	Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) (info int)

	// Dsptrf overwrites the packed symmetric A by the factors of A = U·D·Uᵀ or A = L·D·Lᵀ with
	// Bunch and Kaufman's pivots, in n³/3 flops. U and L are products of permutations and unit
	// triangular matrices, and D has 1×1 and 2×2 blocks. If ipiv[k-1] > 0, D has a 1×1 block at k,
	// and rows and columns k and ipiv[k-1] were exchanged. Two equal negative elements belong to a
	// 2×2 block, whose row and column that the elimination reaches last were exchanged with -ipiv.
	// If info is positive, D has a zero there; the factorization is complete.
	Dsptrf(ul blas.Uplo, n int, ap []float64, ipiv []int32) (info int)

	// Dsptri overwrites the factors of Dsptrf by A⁻¹, in 2n³/3 flops. work has n elements. If info
	// is positive, D has a zero there and A is not inverted.
	Dsptri(ul blas.Uplo, n int, ap []float64, ipiv []int32, work []float64) (info int)

	// Dsytrf is Dsptrf on full storage. work has at least one element, and 64n for blocks of
	// columns.
	Dsytrf(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dsytri2 is Dsptri for the factors of Dsytrf, in blocks of nb columns. work has (n+nb+1)(nb+3)
	// elements, where the library chooses nb: 64 in LAPACK as distributed, so that 67(n+65)
	// elements suffice.
	Dsytri2(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dgeqrf overwrites the m×n A by R on and above the diagonal and, with the k = min(m, n)
	// factors tau, the reflections of Q below it, where A = Q·R, in 4n³/3 flops for m = n. work has
	// at least n elements, and 64n for blocks of columns. It returns 0.
	Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) (info int)

	// Dsyevd writes the eigenvalues of a symmetric A to the n elements of w, in ascending order, by
	// divide and conquer. For EVCompute it overwrites all of A by orthonormal eigenvectors, column
	// j for w[j]; for EVNone it destroys the triangle. work has at least 1+6n+2n² elements, and 64n
	// more for blocks, iwork 3+5n. If info is positive, that many values did not converge.
	Dsyevd(job lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, iwork []int32) (info int)

	// Dgesdd writes the k = min(m, n) singular values of the m×n A, which it destroys, to s in
	// descending order, by divide and conquer: A = U·diag(s)·Vᵀ. For SVDAll it writes the m×m U and
	// the n×n Vᵀ, for SVDStore the first k columns of U and rows of Vᵀ, for SVDNone neither. work
	// has at least 4k²+7k+max(m, n) elements, and 64(m+n) more for blocks, iwork 8k. If info is
	// positive, it did not converge; info is -4 if A has a NaN.
	Dgesdd(job lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, iwork []int32) (info int)

	// Dgeev writes the eigenvalues wr + i·wi of an n×n A, which it destroys, and as the jobs ask
	// the left and right eigenvectors of length 1 to the n×n vl and vr. A pair of complex
	// eigenvalues, the one with a positive imaginary part first, has the real parts of its first
	// vector in one column and the imaginary parts in the next. work has at least 4n elements, and
	// 260n for blocks. If info is positive, the eigenvalues up to that one did not converge, and
	// there are no vectors.
	Dgeev(left lapack.LeftEVJob, right lapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) (info int)
}

// ColumnMajor returns the LAPACK that b brings along and whether it has one. A nil b stands for
// blskernel.Default().
func ColumnMajor(b blskernel.Backend) (ColumnMajorLAPACK, bool) {
	l, ok := Or(b).(ColumnMajorLAPACK)
	return l, ok
}

// MissingLAPACK returns why the library of the backend openblas has no ColumnMajorLAPACK. It is empty
// where there is one, and for other backends.
func MissingLAPACK(b blskernel.Backend) string {
	if m, ok := unwrapped(b).(interface{ MissingLAPACK() string }); ok {
		return m.MissingLAPACK()
	}
	return ""
}
