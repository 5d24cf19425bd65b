package blas12

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dgbmv computes
//
//	y = alpha*A*x + beta*y     if tA = blas.NoTrans
//	y = alpha*Aᵀ*x + beta*y    if tA = blas.Trans or blas.ConjTrans
//
// for an m×n matrix A with kL subdiagonals and kU superdiagonals, lda > kL+kU. Row i of the band is
// a[i*lda:], and element (i,j) is a[i*lda+kL+j-i]. Elements of these rows outside the matrix are not
// read. If beta = 0, y is not read; if alpha = 0, A and x are not. y must not overlap A or x. Dgbmv
// reads the band once and takes 2 flops per element.
//
// The error in y[i] is at most γ_{k+2}·(|alpha|·|op(A)|·|x| + |beta|·|y|)[i], where k = kL+kU+1. NaN
// and infinities in row i of op(A), and in the elements of x that this row multiplies, reach y[i].
func (r *Routines) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	check.Transpose(tA)
	check.Require(m >= 0, check.MLT0)
	check.Require(n >= 0, check.NLT0)
	check.Require(kL >= 0, check.KLLT0)
	check.Require(kU >= 0, check.KULT0)
	check.Require(kL < lda && kU < lda-kL, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if m == 0 || n == 0 {
		return
	}
	rows := m // rows of the band that reach into the matrix
	if kL < m-n {
		rows = n + kL
	}
	check.Length(len(a), rows, kL+kU+1, lda, check.ShortA)
	lenY, lenX := block.Stored(tA, m, n)
	check.Vector(len(x), lenX, incX, check.ShortX)
	check.Vector(len(y), lenY, incY, check.ShortY)
	r.scale(lenY, beta, y, incY)
	if alpha == 0 {
		return
	}
	u, v := gather(lenX, x, incX), gather(lenY, y, incY)
	for i := range rows {
		left, right := max(0, i-kL), n
		if kU < n-1-i {
			right = i + kU + 1
		}
		row := a[i*(lda-1)+kL+left : i*(lda-1)+kL+right]
		if tA == blas.NoTrans {
			v.v[i] += float64(alpha * r.dot(row, u.v[left:]))
		} else {
			r.axpy(alpha*u.v[i], row, v.v[left:])
		}
	}
	u.release()
	v.scatter(y, incY)
}

// Dsbmv computes
//
//	y = alpha*A*x + beta*y
//
// for a symmetric n×n matrix A with k subdiagonals and k superdiagonals. a holds the triangle ul as in
// Dtbmv, lda > k. If beta = 0, y is not read; if alpha = 0, A and x are not. y must not overlap A or x.
// Dsbmv reads the triangle once and takes 2n(2k+1) flops. The error in y[i] is at most
// γ_{2k+4}·(|alpha|·|A|·|x| + |beta|·|y|)[i]. NaN and infinities in row i of A, and in the elements of
// x that this row multiplies, reach y[i].
func (r *Routines) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if !checkSymmetric(ul, n, k, lda > k, incX, incY) {
		return
	}
	check.Length(len(a), n, k+1, lda, check.ShortA)
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	r.scale(n, beta, y, incY)
	if alpha == 0 {
		return
	}
	u, v := gather(n, x, incX), gather(n, y, incY)
	var t oneTriangle
	t.band(ul, n, k, a, lda)
	at := t.origin
	for i, xi := range u.v {
		row, left := t.row(i, at, 0, n)
		sum := float64(t.a[at] * xi)
		if m := len(row); m < shortRow {
			sum += dotAxpyShort(alpha*xi, row, u.v[left:], v.v[left:])
		} else {
			r.kernel.Dotxaxpyf(1, m, alpha, &row[0], m, 0, &u.v[left], &u.v[i], &v.v[left], &v.v[i])
		}
		v.v[i] += float64(alpha * sum)
		at += lda
	}
	u.release()
	v.scatter(y, incY)
}
