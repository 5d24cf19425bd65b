package blas12

// Dscal computes
//
//	x[i] *= alpha
//
// With alpha = 0 it writes zeros without reading x, as gonum does: a NaN does not survive. With a negative
// increment it does nothing. Reads and writes n elements; n flops.
func (r *Routines) Dscal(n int, alpha float64, x []float64, incX int) {
	if incX < 1 {
		require(incX != 0, zeroIncX)
		return
	}
	if n <= 0 {
		require(n == 0, nLT0)
		return
	}
	require(holds(len(x), n, incX), shortX)
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
