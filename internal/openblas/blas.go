//go:build cgo && linux && (amd64 || arm64)

package openblas

import "C" // With the tag cgo and no C compiler the go tool then skips this file, which needs the others.

import (
	"math"

	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// The methods of the backend openblas are netlib's, with three differences:
//
//   - netlib converts sizes to the library's 32-bit integers. A larger dimension, leading dimension or
//     increment would become another number, and the routine would do nothing, something else, or
//     access other memory. Here it panics. Such a size is usually a caller's bug: a vector of 2³¹
//     elements takes 16 GiB. But a matrix of one row may have any leading dimension.
//   - The order of the checks and some texts follow gonum, so that all backends panic alike.
//   - Dgemm with alpha = 0 does not read A and B, like the reference BLAS.

// tooLarge is a text that the BLAS lacks.
const tooLarge = "blas: a size is beyond 32-bit integers"

// within32 panics if a size is too large. netlib refuses negative ones.
func within32(sizes ...int) {
	for _, s := range sizes {
		check.Require(s <= math.MaxInt32, tooLarge)
	}
}

// increments32 is within32 for increments, which may be negative.
func increments32(increments ...int) {
	for _, inc := range increments {
		check.Require(-math.MaxInt32 <= inc && inc <= math.MaxInt32, tooLarge)
	}
}

// scaleRows computes C = beta*C; beta = 0 overwrites C.
func scaleRows(m, n int, beta float64, c []float64, ldc int) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

func (o openBLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	return o.Implementation.Ddot(n, x, incX, y, incY)
}

func (o openBLAS) Dnrm2(n int, x []float64, incX int) float64 {
	check.Require(incX != 0, check.ZeroIncX)
	within32(n)
	increments32(incX)
	return o.Implementation.Dnrm2(n, x, incX)
}

func (o openBLAS) Dasum(n int, x []float64, incX int) float64 {
	within32(n)
	increments32(incX)
	return o.Implementation.Dasum(n, x, incX)
}

func (o openBLAS) Idamax(n int, x []float64, incX int) int {
	check.Require(incX != 0, check.ZeroIncX)
	within32(n)
	increments32(incX)
	return o.Implementation.Idamax(n, x, incX)
}

func (o openBLAS) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	o.Implementation.Dswap(n, x, incX, y, incY)
}

func (o openBLAS) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	o.Implementation.Dcopy(n, x, incX, y, incY)
}

func (o openBLAS) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	o.Implementation.Daxpy(n, alpha, x, incX, y, incY)
}

func (o openBLAS) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	o.Implementation.Drot(n, x, incX, y, incY, c, s)
}

func (o openBLAS) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	within32(n)
	increments32(incX, incY)
	o.Implementation.Drotm(n, x, incX, y, incY, p)
}

func (o openBLAS) Dscal(n int, alpha float64, x []float64, incX int) {
	check.Require(incX != 0, check.ZeroIncX)
	within32(n)
	increments32(incX)
	o.Implementation.Dscal(n, alpha, x, incX)
}

func (o openBLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	within32(m, n, lda)
	increments32(incX, incY)
	if check.Dgemv(tA, m, n, a, lda, x, incX, y, incY) {
		o.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

func (o openBLAS) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	within32(m, n, kL, kU, lda)
	increments32(incX, incY)
	o.Implementation.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

func (o openBLAS) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	check.Uplo(ul)
	within32(n, lda)
	increments32(incX)
	o.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

func (o openBLAS) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	check.Uplo(ul)
	within32(n, k, lda)
	increments32(incX)
	o.Implementation.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
}

func (o openBLAS) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	check.Uplo(ul)
	within32(n)
	increments32(incX)
	o.Implementation.Dtpmv(ul, tA, d, n, ap, x, incX)
}

func (o openBLAS) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	check.Uplo(ul)
	within32(n, lda)
	increments32(incX)
	o.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

func (o openBLAS) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	check.Uplo(ul)
	within32(n, k, lda)
	increments32(incX)
	o.Implementation.Dtbsv(ul, tA, d, n, k, a, lda, x, incX)
}

func (o openBLAS) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	check.Uplo(ul)
	within32(n)
	increments32(incX)
	o.Implementation.Dtpsv(ul, tA, d, n, ap, x, incX)
}

func (o openBLAS) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	within32(n, lda)
	increments32(incX, incY)
	o.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (o openBLAS) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	within32(n, k, lda)
	increments32(incX, incY)
	o.Implementation.Dsbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

func (o openBLAS) Dspmv(ul blas.Uplo, n int, alpha float64, ap, x []float64, incX int, beta float64, y []float64, incY int) {
	within32(n)
	increments32(incX, incY)
	o.Implementation.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
}

func (o openBLAS) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	within32(m, n, lda)
	increments32(incX, incY)
	o.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (o openBLAS) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	within32(n, lda)
	increments32(incX)
	o.Implementation.Dsyr(ul, n, alpha, x, incX, a, lda)
}

func (o openBLAS) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	within32(n)
	increments32(incX)
	o.Implementation.Dspr(ul, n, alpha, x, incX, ap)
}

func (o openBLAS) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	within32(n, lda)
	increments32(incX, incY)
	o.Implementation.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

func (o openBLAS) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	within32(n)
	increments32(incX, incY)
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if n == 0 {
		return
	}
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	check.Packed(len(ap), n)
	o.Implementation.Dspr2(ul, n, alpha, x, incX, y, incY, ap)
}

func (o openBLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	within32(m, n, k, lda, ldb, ldc)
	if alpha == 0 {
		// The library multiplies small products by zero, so that NaN in A and B would show.
		if check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc) {
			scaleRows(m, n, beta, c, ldc)
		}
		return
	}
	o.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (o openBLAS) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	check.Side(s)
	check.Uplo(ul)
	within32(m, n, lda, ldb, ldc)
	o.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (o openBLAS) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	check.Uplo(ul)
	within32(n, k, lda, ldc)
	o.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (o openBLAS) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	check.Uplo(ul)
	within32(n, k, lda, ldb, ldc)
	o.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (o openBLAS) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	check.Side(s)
	check.Uplo(ul)
	within32(m, n, lda, ldb)
	o.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (o openBLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	check.Side(s)
	check.Uplo(ul)
	within32(m, n, lda, ldb)
	o.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
