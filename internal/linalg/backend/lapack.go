package backend

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// ColumnMajorLAPACK has LAPACK routines of the library behind a Backend, with Fortran's conventions.
// The backend openblas implements it unless its library lacks a usable LAPACK.
//
// Matrices are stored by columns: element (i, j) of A is a[i+j*lda], lda >= max(1, m) for m rows.
// Elements between the columns are not touched. Read by columns, a matrix stored by rows is transposed:
// its triangle blas.Upper is blas.Lower here, and the inverse of Aᵀ by columns is A⁻¹ by rows.
//
// ipiv and info count rows from 1. info is 0 on success; each routine says what a positive info means.
// NaN and Inf in a matrix give undefined elements and info. Arguments must not overlap.
//
// Sizes beyond 32 bits panic; the routines check no other argument, so a short slice corrupts memory.
// blskernel.SetThreads bounds the threads.
type ColumnMajorLAPACK interface {
	// Dpotri overwrites the Cholesky factor in the triangle ul, U in A = UᵀU or L in A = LLᵀ, with
	// the same triangle of A⁻¹, in 2n³/3 flops. It does not touch the other triangle. If info is
	// positive, diagonal element info of the factor is zero and there is no inverse.
	Dpotri(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dgetrf overwrites the m×n matrix A with L and U of P·A = L·U, in 2n³/3 flops for m = n. L is
	// below the diagonal, with an implied unit diagonal, and U is on and above it. P exchanges rows
	// i and ipiv[i-1] for i = 1, 2, ..., min(m, n). If info is positive, diagonal element info of U
	// is zero; the factorization is complete.
	Dgetrf(m, n int, a []float64, lda int, ipiv []int32) (info int)

	// Dgetri overwrites Dgetrf's factors of an n×n matrix A with A⁻¹, in 4n³/3 flops. work must
	// have at least n elements; with 64n the library works in blocks. If info is positive,
	// diagonal element info of U is zero and A is not inverted.
	Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) (info int)
}

// ColumnMajor returns the LAPACK of b and whether b has one. A nil b stands for blskernel.Default().
func ColumnMajor(b blskernel.Backend) (ColumnMajorLAPACK, bool) {
	l, ok := Or(b).(ColumnMajorLAPACK)
	return l, ok
}
