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

// Dscal computes
//
//	x[i] *= alpha
//
// With alpha = 0 it writes zeros without reading x, as gonum does: a NaN does not survive. With a
// negative increment it does nothing. Reads and writes n elements; n flops.
func (r *Routines) Dscal(n int, alpha float64, x []float64, incX int) {
	if incX < 1 {
		check.Require(incX != 0, check.ZeroIncX)
		return
	}
	if n <= 0 {
		check.Require(n == 0, check.NLT0)
		return
	}
	check.Vector(len(x), n, incX, check.ShortX)
	switch {
	case incX == 1 && alpha == 0:
		clear(x[:n])
	case incX == 1 && n >= 2*shortRow:
		r.kernel.Scal(n, alpha, &x[0])
	case incX == 1:
		x = x[:n]
		for i := range x {
			x[i] *= alpha
		}
	case alpha == 0:
		for i := range n {
			x[i*incX] = 0
		}
	default:
		for i := range n {
			x[i*incX] *= alpha
		}
	}
}
