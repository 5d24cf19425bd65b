package blas12

import "math"

// Dcopy computes
//
//	y[i] = x[i]
//
// y must not overlap x, unless y is x. Dcopy reads n elements and writes n.
func (r *Routines) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	if !checkPair(n, x, incX, y, incY) {
		return
	}
	if incX == 1 && incY == 1 {
		copy(y[:n], x)
		return
	}
	ix, iy := first(n, incX), first(n, incY)
	for range n {
		y[iy] = x[ix]
		ix += incX
		iy += incY
	}
}

// Dswap exchanges x[i] and y[i]. y must not overlap x, unless y is x. It reads and writes 2n elements.
func (r *Routines) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	if !checkPair(n, x, incX, y, incY) {
		return
	}
	if incX == 1 && incY == 1 {
		x, y = x[:n], y[:n]
		for i, v := range x {
			x[i], y[i] = y[i], v
		}
		return
	}
	ix, iy := first(n, incX), first(n, incY)
	for range n {
		x[ix], y[iy] = y[iy], x[ix]
		ix += incX
		iy += incY
	}
}

// Idamax returns the least i with the largest |x[i]|, or -1 if n = 0 or incX < 0. It ignores NaN,
// except that it returns 0 if x[0] is NaN. It reads n elements.
func (r *Routines) Idamax(n int, x []float64, incX int) int {
	if !checkOne(n, x, incX) {
		return -1
	}
	largest, at := math.Abs(x[0]), 0
	if incX == 1 {
		for i, v := range x[:n] {
			if v = math.Abs(v); v > largest {
				largest, at = v, i
			}
		}
		return at
	}
	for i := 1; i < n; i++ {
		if v := math.Abs(x[i*incX]); v > largest {
			largest, at = v, i
		}
	}
	return at
}
