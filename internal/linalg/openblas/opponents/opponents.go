// Package opponents has the routines of OpenBLAS's LAPACK that are only compared with ours. A program
// that imports the library does not get them: package bench/speed alone does.
package opponents

import (
	"cmp"
	"errors"

	"blskernel"
	"blskernel/internal/linalg/backend"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// LAPACK has the routines of backend.ColumnMajorLAPACK and more in the same format. The upper triangle
// packed by rows is the lower triangle packed by columns: packed storage ap has n(n+1)/2 elements, the
// columns of the triangle one after the other. The routines that are added here check no argument.
type LAPACK interface {
	backend.ColumnMajorLAPACK

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
	// at least n elements, and 64n for blocks of columns.
	Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) (info int)

	// Dsyevd writes the eigenvalues of a symmetric A to the n elements of w, in ascending order, by
	// divide and conquer. For EVCompute it overwrites all of A by orthonormal eigenvectors, column
	// j for w[j]; for EVNone it destroys the triangle. work has at least 1+6n+2n² elements, and 64n
	// more for blocks, iwork 3+5n. If info is positive, that many values did not converge.
	Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, iwork []int32) (info int)

	// Dgesdd writes the k = min(m, n) singular values of the m×n A, which it destroys, to s in
	// descending order, by divide and conquer: A = U·diag(s)·Vᵀ. For SVDAll it writes the m×m U and
	// the n×n Vᵀ, for SVDStore the first k columns of U and rows of Vᵀ, for SVDNone neither. work
	// has at least 4k²+7k+max(m, n) elements, and 64(m+n) more for blocks, iwork 8k. If info is
	// positive, it did not converge; info is -4 if A has a NaN.
	Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, iwork []int32) (info int)

	// Dgeev writes the eigenvalues wr + i·wi of an n×n A, which it destroys, and as the jobs ask
	// the left and right eigenvectors of length 1 to the n×n vl and vr. A pair of complex
	// eigenvalues, the one with a positive imaginary part first, has the real parts of its first
	// vector in one column and the imaginary parts in the next. work has at least 4n elements, and
	// 260n for blocks. If info is positive, the eigenvalues up to that one did not converge, and
	// there are no vectors.
	Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) (info int)
}

// with returns the routines of l and of the open library. A build without OpenBLAS leaves it
// nil.
var with func(l backend.ColumnMajorLAPACK) (LAPACK, error)

// Of returns the LAPACK of b, where nil stands for blskernel.Default(). The error says why there is
// none.
func Of(b blskernel.Backend) (LAPACK, error) {
	if l, ok := backend.Or(b).(LAPACK); ok {
		return l, nil
	}
	l, ok := backend.ColumnMajor(b)
	if !ok || with == nil {
		return nil, errors.New(cmp.Or(backend.MissingLAPACK(b), "it brings none along"))
	}
	return with(l)
}
