package level12

import "gonum.org/v1/gonum/blas"

// Dspr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A of which ap holds the triangle ul, packed by rows: n(n+1)/2 numbers. With
// alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or three
// roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	if n < smallTriangle {
		checkApart(n, incX)
		r.Implementation.Dspr(ul, n, alpha, x, incX, ap)
		return
	}
	checkUplo(ul)
	require(incX != 0, zeroIncX)
	require(holds(len(x), n, incX), shortX)
	require(len(ap) >= n*(n+1)/2, shortAP)
	if alpha == 0 {
		return
	}
	u := gather(n, x, incX)
	for p, v := range u.v {
		length, along := n-p, u.v[p:]
		if ul == blas.Lower {
			length, along = p+1, u.v[:p+1]
		}
		row := ap[:length]
		if length < shortRow {
			axpyShort(alpha*v, along, row)
		} else {
			r.kernel.Axpy(length, alpha*v, &along[0], &row[0])
		}
		ap = ap[length:]
	}
	u.release()
}
