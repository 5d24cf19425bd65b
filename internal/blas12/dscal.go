package blas12

import "blskernel/internal/check"

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
