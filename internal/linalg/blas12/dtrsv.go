package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dtrsv solves
//
//	A*y = x     if tA = blas.NoTrans
//	Aᵀ*y = x    if tA = blas.Trans or blas.ConjTrans
//
// for a triangular n×n matrix A, row-major, lda >= n, and writes y to x. It reads the triangle ul of A
// once, without the diagonal if d is blas.Unit, and takes n² flops. x must not overlap A. y is the
// exact solution for a matrix A + E with |E| <= γ_{n+1}·|A|.
//
// Dtrsv does not check for zeros on the diagonal: they give infinities and NaN, which reach all
// elements that depend on them, even through zeros of A.
func (r *Routines) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, 0, lda >= max(1, n), incX) {
		check.Length(len(a), n, n, lda, check.ShortA)
		s := triangular{Routines: r, solve: true}
		s.full(ul, n, a, lda)
		s.do(tA, d, x, incX)
	}
}

// Dtpsv is Dtrsv with the triangle ul of A packed by rows in ap: n(n+1)/2 elements.
func (r *Routines) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, 0, true, incX) {
		check.Packed(len(ap), n)
		s := triangular{Routines: r, solve: true}
		s.packed(ul, n, ap)
		s.do(tA, d, x, incX)
	}
}

// Dtbsv is Dtrsv for a triangular n×n band matrix A with k superdiagonals or k subdiagonals, stored as
// for Dtbmv. It takes n(2k+1) flops, and |E| <= γ_{k+2}·|A|.
func (r *Routines) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	if checkTriangular(ul, tA, d, n, k, lda > k, incX) {
		check.Length(len(a), n, k+1, lda, check.ShortA)
		s := triangular{Routines: r, solve: true}
		s.band(ul, n, k, a, lda)
		s.do(tA, d, x, incX)
	}
}
