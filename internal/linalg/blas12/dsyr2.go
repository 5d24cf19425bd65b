package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dsyr2 computes
//
//	A += alpha*x*yᵀ + alpha*y*xᵀ
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which it reads and writes the triangle ul, in
// 2n² flops. If alpha = 0, nothing is read or written. A must not overlap x or y. Dsyr2 adds
// (alpha*x[i])*y[j] and then (alpha*y[i])*x[j] to element (i,j) of the triangle, with four to six
// roundings. NaN and infinities in x[i] or y[i] reach row and column i, even if multiplied by zero.
func (r *Routines) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	check.Ld(lda, n, check.BadLdA)
	if checkPair(n, x, incX, y, incY) {
		check.Length(len(a), n, n, lda, check.ShortA)
		if n < shortRow {
			syr2Short(ul, n, alpha, x, incX, y, incY, a, lda)
			return
		}
		s := symmetricUpdate{Routines: r, alpha: alpha}
		s.full(ul, n, a, lda)
		s.addVectors(x, incX, y, incY)
	}
}

// syr2Short is Dsyr2 for rows too short for the kernel. It reads the vectors in place.
func syr2Short(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if alpha == 0 {
		return
	}
	x0, y0 := first(n, incX), first(n, incY)
	for i := range n {
		t, u := alpha*x[x0+i*incX], alpha*y[y0+i*incY]
		left, right := 0, i+1
		if ul == blas.Upper {
			left, right = i, n
		}
		row, ix, iy := a[i*lda+left:i*lda+right], x0+left*incX, y0+left*incY
		for j, v := range row {
			row[j] = v + float64(t*y[iy]) + float64(u*x[ix])
			ix += incX
			iy += incY
		}
	}
}

// Dspr2 is Dsyr2, bit for bit, with the triangle ul of A packed by rows in ap: n(n+1)/2 elements.
func (r *Routines) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	if checkPair(n, x, incX, y, incY) {
		check.Packed(len(ap), n)
		s := symmetricUpdate{Routines: r, alpha: alpha}
		s.packed(ul, n, ap)
		s.addVectors(x, incX, y, incY)
	}
}
