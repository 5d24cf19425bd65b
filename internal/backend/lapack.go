package backend

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// ColumnMajorLAPACK are routines of LAPACK in Fortran's own terms, from the library that a Backend
// brings along. The backend openblas has them unless its library was built without LAPACK; ColumnMajor
// tells.
//
// Matrices are stored by columns: element (i, j) of A is a[i+j*lda], lda >= max(1, m) for m rows, and
// the elements between the columns are not touched. Storage by rows is therefore seen as the transpose.
// What is symmetric remains what it is, with the other triangle: blas.Upper by rows is blas.Lower here,
// and the upper triangle packed by rows is the lower triangle packed by columns, in the same order of
// elements. A general A by rows is factorized and inverted as Aᵀ; (Aᵀ)⁻¹ by columns is A⁻¹ by rows.
//
// The triangle ul of a symmetric matrix is read and written, the other one is not touched. Packed
// storage ap has n(n+1)/2 elements: the columns of that triangle one after the other. Rows are counted
// from 1 in ipiv and in info, which is 0 where all went well and positive where the matrix is to blame,
// as each routine says. No routine looks for NaN or infinities: a matrix that holds them gives elements
// and an info that mean nothing. Nothing may overlap.
//
// The routines panic with constant texts, where there is one with that of the BLAS, on illegal
// arguments and short slices, and where a size, or n(n+1) of packed storage, is beyond the library's
// 32-bit integers. They use as many threads as SetThreads says, where the library's routine uses any.
type ColumnMajorLAPACK interface {
	// Dpotrf overwrites the triangle ul of a symmetric positive definite A by U with A = UᵀU or L with
	// A = LLᵀ, in n³/3 flops. A positive info is the order of a leading minor that is not positive:
	// the elimination has stopped there.
	Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dpotri overwrites the factor that Dpotrf left in the triangle ul by that triangle of A⁻¹, in
	// 2n³/3 flops. With a positive info that diagonal element of the factor is zero and there is no
	// inverse.
	Dpotri(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dgetrf overwrites the m×n A by L below the diagonal, which has a diagonal of ones, and U on and
	// above it, where P·A = L·U, in 2n³/3 flops for m = n. P exchanges rows i and ipiv[i-1] for i = 1,
	// 2, ...; ipiv has min(m, n) elements. With a positive info U has a zero there on its diagonal; the
	// factorization is complete.
	Dgetrf(m, n int, a []float64, lda int, ipiv []int32) (info int)

	// Dgetri overwrites what Dgetrf left of an n×n A by A⁻¹, in 4n³/3 flops. The length of work is what
	// the routine is told of it: n at least, and 64n for the blocked algorithm. With a positive info U
	// has a zero there on its diagonal and nothing has been inverted.
	Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dgetrs overwrites the n×nrhs B by the solution X of op(A)·X = B, in 2n²·nrhs flops, with what
	// Dgetrf left of an n×n A. It always returns 0: a zero on the diagonal of U shows as infinities.
	Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) (info int)

	// Dsptrf overwrites the packed symmetric A by the factors of A = U·D·Uᵀ or A = L·D·Lᵀ, where U and
	// L are products of permutations and unit triangular matrices and D has 1×1 and 2×2 blocks, with
	// Bunch and Kaufman's pivots, in n³/3 flops. ipiv has n elements: where ipiv[k-1] > 0, D has a 1×1
	// block at k and rows and columns k and ipiv[k-1] were exchanged; two equal negative ones belong to
	// a 2×2 block, of which the row and column that the elimination reaches last were exchanged with
	// -ipiv. With a positive info D has a zero there on its diagonal; the factorization is complete.
	Dsptrf(ul blas.Uplo, n int, ap []float64, ipiv []int32) (info int)

	// Dsptri overwrites what Dsptrf left of A by A⁻¹, in 2n³/3 flops. work has n elements. With a
	// positive info D has a zero there on its diagonal and nothing has been inverted.
	Dsptri(ul blas.Uplo, n int, ap []float64, ipiv []int32, work []float64) (info int)

	// Dsytrf is Dsptrf on full storage. The length of work is what the routine is told of it: 1 at
	// least, and 64n for blocks of columns.
	Dsytrf(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dsytri2 is Dsptri for what Dsytrf left of A, in blocks of nb columns, for which it needs a
	// workspace of (n+nb+1)(nb+3) elements. nb is the library's choice: 64 in LAPACK as it is
	// distributed, for which 67(n+65) elements are enough, or less. It panics if work is shorter than
	// the library insists on.
	Dsytri2(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)
}

// ColumnMajor returns the LAPACK that b brings along and whether it has one. A nil b stands for
// blskernel.Default().
func ColumnMajor(b blskernel.Backend) (ColumnMajorLAPACK, bool) {
	l, ok := Or(b).(ColumnMajorLAPACK)
	return l, ok
}

// MissingLAPACK returns why the library of the backend openblas has no ColumnMajorLAPACK. It is empty where there
// is one, and for other backends.
func MissingLAPACK(b blskernel.Backend) string {
	if m, ok := unwrapped(b).(interface{ MissingLAPACK() string }); ok {
		return m.MissingLAPACK()
	}
	return ""
}
