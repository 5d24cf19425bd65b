package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dtrmv computes
//
//	x = A*x     if tA = blas.NoTrans
//	x = Aᵀ*x    if tA = blas.Trans or blas.ConjTrans
//
// for a triangular n×n matrix A, row-major, lda >= n, of which it reads the triangle ul, without the
// diagonal if d is blas.Unit. x must not overlap A. Dtrmv reads the triangle once and takes n² flops.
// The error in element i is at most γ_n·(|op(A)|·|x|)[i]. NaN and infinities in row i of op(A), and in
// the elements of x that this row multiplies, reach element i.
func (r *Routines) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, 0, lda >= max(1, n), incX) {
		check.Length(len(a), n, n, lda, check.ShortA)
		s := triangular{Routines: r}
		s.full(ul, n, a, lda)
		s.do(tA, d, x, incX)
	}
}

// Dtpmv is Dtrmv with the triangle ul of A packed by rows in ap: n(n+1)/2 elements.
func (r *Routines) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, 0, true, incX) {
		check.Packed(len(ap), n)
		s := triangular{Routines: r}
		s.packed(ul, n, ap)
		s.do(tA, d, x, incX)
	}
}

// Dtbmv is Dtrmv for a triangular n×n band matrix A with k superdiagonals if ul is blas.Upper, or k
// subdiagonals if ul is blas.Lower. Row i of the band is a[i*lda:], lda > k: element (i,j) is
// a[i*lda+j-i] for blas.Upper and a[i*lda+k+j-i] for blas.Lower. Elements of these rows outside the
// matrix are not read. Dtbmv takes n(2k+1) flops, with an error of at most γ_{k+1}·(|op(A)|·|x|)[i].
func (r *Routines) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, k, lda > k, incX) {
		check.Length(len(a), n, k+1, lda, check.ShortA)
		s := triangular{Routines: r}
		s.band(ul, n, k, a, lda)
		s.do(tA, d, x, incX)
	}
}
