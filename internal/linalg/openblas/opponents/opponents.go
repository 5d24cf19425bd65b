// Package opponents provides the LAPACK routines of OpenBLAS that the speed comparisons need. Only
// package bench/speed imports it, so other programs do not contain these routines.
package opponents

import (
	"errors"

	"blskernel"
	"blskernel/internal/linalg/backend"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// LAPACK has the routines of backend.ColumnMajorLAPACK and more. The additional routines follow the
// same conventions but check no argument at all; see the reference LAPACK. The upper triangle packed by
// rows is the lower triangle packed by columns.
type LAPACK interface {
	backend.ColumnMajorLAPACK

	// Dpotrf overwrites the triangle ul of a symmetric positive definite matrix A with its Cholesky
	// factor, in n³/3 flops. A positive info is the order of a leading minor that is not positive.
	Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (info int)

	// Dgetrs overwrites the n×nrhs matrix B with the solution X of op(A)·X = B, in 2n²·nrhs flops.
	// a and ipiv hold the factors of Dgetrf.
	Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) (info int)

	// Dsptrf overwrites the packed symmetric matrix A with the factors of A = U·D·Uᵀ or A = L·D·Lᵀ,
	// with Bunch-Kaufman pivoting, in n³/3 flops. If info is positive, D[info,info] is zero.
	Dsptrf(ul blas.Uplo, n int, ap []float64, ipiv []int32) (info int)

	// Dsptri overwrites the factors of Dsptrf with A⁻¹, in 2n³/3 flops. work must have n elements.
	Dsptri(ul blas.Uplo, n int, ap []float64, ipiv []int32, work []float64) (info int)

	// Dsytrf is Dsptrf in full storage. It is blocked if work has 64n elements.
	Dsytrf(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dsytri2 is Dsptri for the factors of Dsytrf, blocked. work must have 67(n+65) elements.
	Dsytri2(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int)

	// Dgeqrf overwrites the m×n matrix A with the factors of A = Q·R, in 4n³/3 flops for m = n. tau
	// has min(m, n) elements. The factorization is blocked if work has 64n elements.
	Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) (info int)

	// Dsyevd writes the eigenvalues of a symmetric matrix A to w, in ascending order, by divide and
	// conquer. If job is EVCompute, it overwrites A with the eigenvectors. work must have
	// 1+70n+2n² elements, and iwork 3+5n.
	Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, iwork []int32) (info int)

	// Dgesdd writes the k = min(m, n) singular values of the m×n matrix A to s in descending order,
	// by divide and conquer, and destroys A. If job asks for them, it writes U and Vᵀ to u and vt.
	// work must have 4k²+7k+max(m, n)+64(m+n) elements, and iwork 8k.
	Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, iwork []int32) (info int)

	// Dgeev writes the eigenvalues of the n×n matrix A to wr (real parts) and wi (imaginary parts),
	// and destroys A. If left or right asks for them, it writes the left eigenvectors to vl or the
	// right eigenvectors to vr. Dgeev is blocked if work has 260n elements.
	Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) (info int)
}

// with adds the additional routines of the open library to l. It is nil in a build without OpenBLAS.
var with func(l backend.ColumnMajorLAPACK) (LAPACK, error)

// Of returns the LAPACK of b, or an error if b lacks a routine. A nil b stands for blskernel.Default().
func Of(b blskernel.Backend) (LAPACK, error) {
	if l, ok := backend.Or(b).(LAPACK); ok {
		return l, nil
	}
	l, ok := backend.ColumnMajor(b)
	if !ok || with == nil {
		return nil, errors.New("the backend is not OpenBLAS, or its library was built without LAPACK: dpotri, dgetrf or dgetri is missing")
	}
	return with(l)
}
