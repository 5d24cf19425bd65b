package blas12

// Daxpy computes
//
//	y[i] += alpha*x[i]
//
// With alpha = 0 it reads and writes nothing. y does not overlap x, unless it is x. Reads n elements of each
// vector, writes n; 2n flops.
func (r *Routines) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	require(incX != 0, zeroIncX)
	require(incY != 0, zeroIncY)
	if n <= 0 {
		require(n == 0, nLT0)
		return
	}
	require(holds(len(x), n, incX), shortX)
	require(holds(len(y), n, incY), shortY)
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
