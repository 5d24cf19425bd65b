package check

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Guarded wraps a BLAS that converts sizes to 32-bit integers. A larger size could pass the checks of
// the BLAS, and its loops in C would then access memory out of bounds. Guarded panics before such a
// size reaches the BLAS. With 64-bit ints, no product of two admitted sizes overflows in these checks.
//
// Where the BLAS lacks one of gonum's checks, Guarded adds it, in gonum's order and with its message.
type Guarded struct{ blas.Float64 }

// TooLarge is the message for a size or increment of 2³¹ or more; gonum's BLAS has no such message.
const TooLarge = "blas: a size or increment is 2³¹ or more in magnitude, which this backend does not support"

// Fit panics unless every size, leading dimension and increment is below 2³¹ in magnitude.
func Fit(sizes ...int) {
	for _, s := range sizes {
		Require(math.MinInt32 < s && s <= math.MaxInt32, TooLarge)
	}
}

// increments panics if an increment is zero, or if n or an increment does not fit in 32 bits.
func increments(n, incX, incY int) {
	Require(incX != 0, ZeroIncX)
	Require(incY != 0, ZeroIncY)
	Fit(n, incX, incY)
}

// triangle panics if ul is neither blas.Upper nor blas.Lower, or if a size does not fit in 32 bits.
func triangle(ul blas.Uplo, sizes ...int) {
	Uplo(ul)
	Fit(sizes...)
}

func (g Guarded) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	increments(n, incX, incY)
	return g.Float64.Ddot(n, x, incX, y, incY)
}

func (g Guarded) Dnrm2(n int, x []float64, incX int) float64 {
	increments(n, incX, 1)
	return g.Float64.Dnrm2(n, x, incX)
}

func (g Guarded) Dasum(n int, x []float64, incX int) float64 {
	Fit(n, incX)
	return g.Float64.Dasum(n, x, incX)
}

func (g Guarded) Idamax(n int, x []float64, incX int) int {
	increments(n, incX, 1)
	return g.Float64.Idamax(n, x, incX)
}

func (g Guarded) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	increments(n, incX, incY)
	g.Float64.Dswap(n, x, incX, y, incY)
}

func (g Guarded) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	increments(n, incX, incY)
	g.Float64.Dcopy(n, x, incX, y, incY)
}

func (g Guarded) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	increments(n, incX, incY)
	g.Float64.Daxpy(n, alpha, x, incX, y, incY)
}

func (g Guarded) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	increments(n, incX, incY)
	g.Float64.Drot(n, x, incX, y, incY, c, s)
}

func (g Guarded) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	increments(n, incX, incY)
	Require(n >= 0, NLT0)
	Require(blas.Identity <= p.Flag && p.Flag <= blas.Diagonal, BadFlag)
	g.Float64.Drotm(n, x, incX, y, incY, p)
}

func (g Guarded) Dscal(n int, alpha float64, x []float64, incX int) {
	increments(n, incX, 1)
	g.Float64.Dscal(n, alpha, x, incX)
}

func (g Guarded) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	Fit(m, n, lda, incX, incY)
	if Dgemv(tA, m, n, a, lda, x, incX, y, incY) {
		g.Float64.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

func (g Guarded) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	Fit(m, n, kL, kU, lda, incX, incY)
	g.Float64.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	triangle(ul, n, lda, incX)
	g.Float64.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

func (g Guarded) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	triangle(ul, n, k, lda, incX)
	g.Float64.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
}

func (g Guarded) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	triangle(ul, n, incX)
	g.Float64.Dtpmv(ul, tA, d, n, ap, x, incX)
}

func (g Guarded) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	triangle(ul, n, lda, incX)
	g.Float64.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

func (g Guarded) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	triangle(ul, n, k, lda, incX)
	g.Float64.Dtbsv(ul, tA, d, n, k, a, lda, x, incX)
}

func (g Guarded) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	triangle(ul, n, incX)
	g.Float64.Dtpsv(ul, tA, d, n, ap, x, incX)
}

func (g Guarded) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	triangle(ul, n, lda, incX, incY)
	g.Float64.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	triangle(ul, n, k, lda, incX, incY)
	g.Float64.Dsbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dspmv(ul blas.Uplo, n int, alpha float64, ap, x []float64, incX int, beta float64, y []float64, incY int) {
	triangle(ul, n, incX, incY)
	g.Float64.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
}

func (g Guarded) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	Fit(m, n, lda, incX, incY)
	g.Float64.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (g Guarded) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	triangle(ul, n, lda, incX)
	g.Float64.Dsyr(ul, n, alpha, x, incX, a, lda)
}

func (g Guarded) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	triangle(ul, n, incX)
	g.Float64.Dspr(ul, n, alpha, x, incX, ap)
}

func (g Guarded) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	triangle(ul, n, lda, incX, incY)
	g.Float64.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

func (g Guarded) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	triangle(ul, n, incX, incY)
	Require(n >= 0, NLT0)
	Require(incX != 0, ZeroIncX)
	Require(incY != 0, ZeroIncY)
	if n > 0 {
		Vector(len(x), n, incX, ShortX)
		Vector(len(y), n, incY, ShortY)
		Packed(len(ap), n)
		g.Float64.Dspr2(ul, n, alpha, x, incX, y, incY, ap)
	}
}

func (g Guarded) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Fit(m, n, k, lda, ldb, ldc)
	g.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Side(s)
	triangle(ul, m, n, lda, ldb, ldc)
	g.Float64.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	triangle(ul, n, k, lda, ldc)
	g.Float64.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (g Guarded) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	triangle(ul, n, k, lda, ldb, ldc)
	g.Float64.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Side(s)
	triangle(ul, m, n, lda, ldb)
	g.Float64.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (g Guarded) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Side(s)
	triangle(ul, m, n, lda, ldb)
	g.Float64.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
