package check

import (
	"math"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// Guarded wraps a BLAS whose own checks can overflow: the BLAS multiplies sizes before it compares them
// with the lengths of slices, or converts them to smaller integers. A size that overflows would pass
// its checks, and its loops, in C or assembly, would access memory out of bounds. Guarded panics before
// such a size reaches the BLAS.
//
// Guarded also checks arguments in gonum's order, with gonum's texts, where the BLAS does not.
type Guarded struct {
	blas.Float64
	// Limit is the largest size, leading dimension or increment, of either sign: at most MostSize.
	Limit int
}

// MostSize is larger than any slice, and small enough that a sum of four such sizes does not overflow.
const MostSize = math.MaxInt / 4

// TooLarge is a text that the BLAS lacks.
const TooLarge = "blas: a size is too large for this backend"

// sizes panics if a size is beyond the limit. The BLAS refuses negative ones.
func (g Guarded) sizes(sizes ...int) {
	for _, s := range sizes {
		Require(s <= g.Limit, TooLarge)
	}
}

// rows panics unless the given number of rows of a can be lda apart.
func (g Guarded) rows(rows, lda int) {
	g.sizes(rows, lda)
	Require(rows <= 1 || lda <= math.MaxInt/rows, ShortA)
}

// vector panics unless n elements can be inc apart.
func (g Guarded) vector(n, inc int, short string) {
	Require(-g.Limit <= inc, TooLarge)
	inc = max(inc, -inc)
	g.sizes(n, inc)
	Require(n <= 1 || inc <= math.MaxInt/n, short)
}

func (g Guarded) vectors(lenX, incX, lenY, incY int) {
	g.vector(lenX, incX, ShortX)
	g.vector(lenY, incY, ShortY)
}

// one guards the vector of a routine of Level 1, pair both vectors.
func (g Guarded) one(n, incX int) {
	Require(incX != 0, ZeroIncX)
	g.vector(n, incX, ShortX)
}

func (g Guarded) pair(n, incX, incY int) {
	Require(incX != 0, ZeroIncX)
	Require(incY != 0, ZeroIncY)
	g.vectors(n, incX, n, incY)
}

// triangle guards a routine of Level 2 on one triangle of order n and one vector, symmetric one on two
// vectors. k, the diagonals of a band, and lda are 0 where the routine has none.
func (g Guarded) triangle(ul blas.Uplo, n, k, lda, incX int) {
	Uplo(ul)
	g.sizes(k)
	g.rows(n, lda)
	g.vector(n, incX, ShortX)
}

func (g Guarded) symmetric(ul blas.Uplo, n, k, lda, incX, incY int) {
	g.triangle(ul, n, k, lda, incX)
	g.vector(n, incY, ShortY)
}

func (g Guarded) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	g.pair(n, incX, incY)
	return g.Float64.Ddot(n, x, incX, y, incY)
}

func (g Guarded) Dnrm2(n int, x []float64, incX int) float64 {
	g.one(n, incX)
	return g.Float64.Dnrm2(n, x, incX)
}

func (g Guarded) Dasum(n int, x []float64, incX int) float64 {
	g.vector(n, incX, ShortX)
	return g.Float64.Dasum(n, x, incX)
}

func (g Guarded) Idamax(n int, x []float64, incX int) int {
	g.one(n, incX)
	return g.Float64.Idamax(n, x, incX)
}

func (g Guarded) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	g.pair(n, incX, incY)
	g.Float64.Dswap(n, x, incX, y, incY)
}

func (g Guarded) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	g.pair(n, incX, incY)
	g.Float64.Dcopy(n, x, incX, y, incY)
}

func (g Guarded) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	g.pair(n, incX, incY)
	g.Float64.Daxpy(n, alpha, x, incX, y, incY)
}

func (g Guarded) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	g.pair(n, incX, incY)
	g.Float64.Drot(n, x, incX, y, incY, c, s)
}

func (g Guarded) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	g.pair(n, incX, incY)
	Require(n >= 0, NLT0)
	Require(blas.Identity <= p.Flag && p.Flag <= blas.Diagonal, BadFlag)
	g.Float64.Drotm(n, x, incX, y, incY, p)
}

func (g Guarded) Dscal(n int, alpha float64, x []float64, incX int) {
	g.one(n, incX)
	g.Float64.Dscal(n, alpha, x, incX)
}

func (g Guarded) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	g.rows(m, lda)
	g.sizes(n)
	lenY, lenX := block.Stored(tA, m, n)
	g.vectors(lenX, incX, lenY, incY)
	if Dgemv(tA, m, n, a, lda, x, incX, y, incY) {
		g.Float64.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

func (g Guarded) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	g.sizes(kL, kU)
	g.rows(m, lda)
	g.vectors(max(m, n), incX, max(m, n), incY)
	g.Float64.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	g.triangle(ul, n, 0, lda, incX)
	g.Float64.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

func (g Guarded) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	g.triangle(ul, n, k, lda, incX)
	g.Float64.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
}

func (g Guarded) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	g.triangle(ul, n, 0, 0, incX)
	g.Float64.Dtpmv(ul, tA, d, n, ap, x, incX)
}

func (g Guarded) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	g.triangle(ul, n, 0, lda, incX)
	g.Float64.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

func (g Guarded) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	g.triangle(ul, n, k, lda, incX)
	g.Float64.Dtbsv(ul, tA, d, n, k, a, lda, x, incX)
}

func (g Guarded) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	g.triangle(ul, n, 0, 0, incX)
	g.Float64.Dtpsv(ul, tA, d, n, ap, x, incX)
}

func (g Guarded) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	g.symmetric(ul, n, 0, lda, incX, incY)
	g.Float64.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	g.symmetric(ul, n, k, lda, incX, incY)
	g.Float64.Dsbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

func (g Guarded) Dspmv(ul blas.Uplo, n int, alpha float64, ap, x []float64, incX int, beta float64, y []float64, incY int) {
	g.symmetric(ul, n, 0, 0, incX, incY)
	g.Float64.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
}

func (g Guarded) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	g.rows(m, lda)
	g.vectors(m, incX, n, incY)
	g.Float64.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (g Guarded) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	g.triangle(ul, n, 0, lda, incX)
	g.Float64.Dsyr(ul, n, alpha, x, incX, a, lda)
}

func (g Guarded) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	g.triangle(ul, n, 0, 0, incX)
	g.Float64.Dspr(ul, n, alpha, x, incX, ap)
}

func (g Guarded) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	g.symmetric(ul, n, 0, lda, incX, incY)
	g.Float64.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

func (g Guarded) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	g.symmetric(ul, n, 0, 0, incX, incY)
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
	g.sizes(m, n, k, lda, ldb, ldc)
	g.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Side(s)
	Uplo(ul)
	g.sizes(m, n, lda, ldb, ldc)
	g.Float64.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	Uplo(ul)
	g.sizes(n, k, lda, ldc)
	g.Float64.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (g Guarded) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Uplo(ul)
	g.sizes(n, k, lda, ldb, ldc)
	g.Float64.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (g Guarded) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Side(s)
	Uplo(ul)
	g.sizes(m, n, lda, ldb)
	g.Float64.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (g Guarded) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Side(s)
	Uplo(ul)
	g.sizes(m, n, lda, ldb)
	g.Float64.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
