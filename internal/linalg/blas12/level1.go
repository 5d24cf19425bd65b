package blas12

// Ddot returns
//
//	sum over i of x[i]*y[i]
//
// or 0 if n = 0. The error is at most γ_n·sum |x[i]|·|y[i]|. Ddot reads n elements of each vector and
// takes 2n flops. The order of the sum depends only on n. NaN, 0·Inf and opposite infinities give NaN.
func (r *Routines) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if !checkPair(n, x, incX, y, incY) {
		return 0
	}
	if incX == 1 && incY == 1 {
		return r.kernel.Dot(n, &x[0], &y[0])
	}
	if n < shortSum {
		return dotShort(n, x, incX, y, incY)
	}
	u, v := gather(n, x, incX), gather(n, y, incY)
	s := r.kernel.Dot(n, &u.v[0], &v.v[0])
	u.release()
	v.release()
	return s
}

// dotShort is Ddot for at most seven elements, which it reads in place: gathering them would take
// longer than adding them up. The lanes of the kernel's Dot start at +0. Here the last lane stays +0,
// so that the sign of a zero is the same.
func dotShort(n int, x []float64, incX int, y []float64, incY int) float64 {
	var s [shortSum]float64
	ix, iy := first(n, incX), first(n, incY)
	for l := range n {
		s[l] = float64(x[ix] * y[iy])
		ix += incX
		iy += incY
	}
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
}

// Daxpy computes
//
//	y[i] += alpha*x[i]
//
// If alpha = 0, nothing is read or written. y must not overlap x, unless y is x. Daxpy reads n elements
// of each vector, writes n, and takes 2n flops. If both increments are 1, the result is rounded once;
// otherwise the product is also rounded. NaN and infinities propagate.
func (r *Routines) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if !checkPair(n, x, incX, y, incY) || alpha == 0 {
		return
	}
	if incX == 1 && incY == 1 {
		r.kernel.Axpy(n, alpha, &x[0], &y[0])
		return
	}
	ix, iy := first(n, incX), first(n, incY)
	for range n {
		y[iy] += float64(alpha * x[ix])
		ix += incX
		iy += incY
	}
}

// Dscal computes
//
//	x[i] *= alpha
//
// with one rounding. If alpha = 0, Dscal writes zeros without reading x, as gonum does; otherwise NaN
// in x stays NaN. If incX < 0, it does nothing. It reads and writes n elements and takes n flops.
func (r *Routines) Dscal(n int, alpha float64, x []float64, incX int) {
	if !checkOne(n, x, incX) {
		return
	}
	switch {
	case incX == 1 && alpha == 0:
		clear(x[:n])
	case incX == 1 && n >= shortRow:
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
