package blas12

import "gonum.org/v1/gonum/blas"

// Dsymv computes
//
//	y = alpha*A*x + beta*y
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which the triangle ul is read. With beta = 0, y is
// not read; with alpha = 0, neither are A and x. y overlaps neither A nor x. Reads the triangle once from
// memory; 2n² flops. The error in y[i] is at most γ_{n+3}·(|alpha|·|A|·|x| + |beta|·|y|)[i].
func (r *Routines) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < smallTriangle {
		checkRowsApart(n, lda)
		checkBothApart(n, incX, n, incY)
		r.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	checkUplo(ul)
	require(lda >= max(1, n), badLdA)
	require(incX != 0, zeroIncX)
	require(incY != 0, zeroIncY)
	require(holdsMatrix(len(a), n, n, lda), shortA)
	require(holds(len(x), n, incX), shortX)
	require(holds(len(y), n, incY), shortY)
	r.scale(n, beta, y, incY)
	if alpha == 0 {
		return
	}
	u, v := gather(n, x, incX), gather(n, y, incY)
	s := symmetricProduct{Routines: r, oneTriangle: oneTriangle{ul, n, a, lda}, alpha: alpha, x: u.v}
	s.addTo(v.v)
	u.release()
	v.scatter(y, incY)
}
