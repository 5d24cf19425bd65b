package blas12

import "blskernel/internal/check"

// Ddot returns
//
//	sum over i of x[i]*y[i]
//
// and 0 if n = 0. The error is at most γ_n·sum |x[i]|·|y[i]|. Reads n elements of each; 2n flops.
func (r *Routines) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if n <= 0 {
		check.Require(n == 0, check.NLT0)
		return 0
	}
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	if incX == 1 && incY == 1 {
		return r.kernel.Dot(n, &x[0], &y[0])
	}
	// Four sums, because one would wait for each addition.
	var s [4]float64
	ix, iy, i := first(n, incX), first(n, incY), 0
	for ; i+4 <= n; i += 4 {
		s[0] += x[ix] * y[iy]
		s[1] += x[ix+incX] * y[iy+incY]
		s[2] += x[ix+2*incX] * y[iy+2*incY]
		s[3] += x[ix+3*incX] * y[iy+3*incY]
		ix += 4 * incX
		iy += 4 * incY
	}
	for ; i < n; i++ {
		s[0] += x[ix] * y[iy]
		ix += incX
		iy += incY
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
