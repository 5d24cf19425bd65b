package blas12

import (
	"math"

	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// The routines below are gonum's with two more checks. Drotm checks its flag, which gonum ignores. All
// check that no multiple of a leading dimension or increment overflows: gonum compares that multiple
// with the length of the slice, and if it has become negative, its loops, some of them in assembly,
// access memory out of bounds.

// apart reports whether n elements, or rows, can be inc apart without an overflow. gonum checks the
// rest.
func apart(n, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return n <= 1 || inc >= 0 && inc <= math.MaxInt/n
}

// checkApart panics unless n elements of x can be incX apart.
func checkApart(n, incX int) { check.Require(apart(n, incX), check.ShortX) }

// checkBothApart is checkApart for two vectors.
func checkBothApart(lenX, incX, lenY, incY int) {
	check.Require(apart(lenX, incX), check.ShortX)
	check.Require(apart(lenY, incY), check.ShortY)
}

// checkRowsApart panics unless the given number of rows of a can be lda apart.
func checkRowsApart(rows, lda int) { check.Require(apart(rows, lda), check.ShortA) }

// mostDiagonals is more than any band has, and small enough that sums of such numbers do not overflow.
const mostDiagonals = math.MaxInt / 4

// checkBand panics if a band has more than mostDiagonals.
func checkBand(diagonals ...int) {
	for _, k := range diagonals {
		check.Require(k <= mostDiagonals, check.BadLdA)
	}
}

func (r *Routines) Dnrm2(n int, x []float64, incX int) float64 {
	checkApart(n, incX)
	return r.Implementation.Dnrm2(n, x, incX)
}

func (r *Routines) Dasum(n int, x []float64, incX int) float64 {
	checkApart(n, incX)
	return r.Implementation.Dasum(n, x, incX)
}

func (r *Routines) Idamax(n int, x []float64, incX int) int {
	checkApart(n, incX)
	return r.Implementation.Idamax(n, x, incX)
}

func (r *Routines) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	checkBothApart(n, incX, n, incY)
	r.Implementation.Dswap(n, x, incX, y, incY)
}

func (r *Routines) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	checkBothApart(n, incX, n, incY)
	r.Implementation.Dcopy(n, x, incX, y, incY)
}

func (r *Routines) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	checkBothApart(n, incX, n, incY)
	r.Implementation.Drot(n, x, incX, y, incY, c, s)
}

func (r *Routines) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	check.Require(n >= 0, check.NLT0)
	check.Require(blas.Identity <= p.Flag && p.Flag <= blas.Diagonal, check.BadFlag)
	checkBothApart(n, incX, n, incY)
	r.Implementation.Drotm(n, x, incX, y, incY, p)
}

func (r *Routines) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	checkBand(kL, kU)
	checkRowsApart(m, lda)
	checkBothApart(max(m, n), incX, max(m, n), incY)
	r.Implementation.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

func (r *Routines) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	checkBand(k)
	checkRowsApart(n, lda)
	checkBothApart(n, incX, n, incY)
	r.Implementation.Dsbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

func (r *Routines) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	checkRowsApart(n, lda)
	checkApart(n, incX)
	r.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

func (r *Routines) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	checkBand(k)
	checkRowsApart(n, lda)
	checkApart(n, incX)
	r.Implementation.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
}

func (r *Routines) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	checkBand(k)
	checkRowsApart(n, lda)
	checkApart(n, incX)
	r.Implementation.Dtbsv(ul, tA, d, n, k, a, lda, x, incX)
}

func (r *Routines) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	checkApart(n, incX)
	r.Implementation.Dtpmv(ul, tA, d, n, ap, x, incX)
}

func (r *Routines) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap, x []float64, incX int) {
	checkApart(n, incX)
	r.Implementation.Dtpsv(ul, tA, d, n, ap, x, incX)
}

func (r *Routines) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	checkRowsApart(n, lda)
	checkBothApart(n, incX, n, incY)
	r.Implementation.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

func (r *Routines) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	checkBothApart(n, incX, n, incY)
	r.Implementation.Dspr2(ul, n, alpha, x, incX, y, incY, ap)
}
