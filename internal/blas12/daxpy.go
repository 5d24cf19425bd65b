package blas12

import "blskernel/internal/check"

// Daxpy computes
//
//	y[i] += alpha*x[i]
//
// With alpha = 0 it reads and writes nothing. y does not overlap x, unless it is x. Reads n elements of
// each vector, writes n; 2n flops.
func (r *Routines) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if n <= 0 {
		check.Require(n == 0, check.NLT0)
		return
	}
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	if alpha == 0 {
		return
	}
	if incX == 1 && incY == 1 {
		r.kernel.Axpy(n, alpha, &x[0], &y[0])
		return
	}
	ix, iy := first(n, incX), first(n, incY)
	for range n {
		y[iy] += alpha * x[ix]
		ix += incX
		iy += incY
	}
}
