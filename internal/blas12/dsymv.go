package blas12

import (
	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// Dsymv computes
//
//	y = alpha*A*x + beta*y
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which the triangle ul is read. With beta = 0, y
// is not read; with alpha = 0, neither are A and x. y overlaps neither A nor x. Reads the triangle once
// from memory; 2n² flops. The error in y[i] is at most γ_{n+3}·(|alpha|·|A|·|x| + |beta|·|y|)[i].
func (r *Routines) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < smallTriangle {
		checkRowsApart(n, lda)
		checkBothApart(n, incX, n, incY)
		r.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	check.Uplo(ul)
	check.Ld(lda, n, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	check.Length(len(a), n, n, lda, check.ShortA)
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
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
