package blas12

import (
	"math"

	"blskernel/internal/linalg/check"
)

// Dnrm2 returns the Euclidean norm
//
//	sqrt(sum over i of x[i]²)
//
// or 0 if n = 0 or incX < 0. Dnrm2 overflows or underflows only if the norm does, since it scales x by
// a power of two if necessary. The error is at most γ_{n+2} times the norm, plus half the smallest
// subnormal number if the norm is below 2⁻¹⁰²². The result is NaN if an element is NaN, or else +Inf if
// one is infinite. Dnrm2 takes 2n flops and reads x once, or twice if it scales. Without scaling, the
// sum of squares equals Ddot of x and x, for any incX.
func (r *Routines) Dnrm2(n int, x []float64, incX int) float64 {
	if !checkOne(n, x, incX) {
		return 0
	}
	// Below 2⁻⁹⁶⁰ the sum may have lost digits to underflow; above it, the loss is negligible.
	const least, much, scale = 0x1p-960, math.MaxFloat64, 0x1p600
	var s float64
	if n < shortSum {
		s = dotShort(n, x, incX, x, incX)
	} else {
		u := gather(n, x, incX)
		s = r.kernel.Dot(n, &u.v[0], &u.v[0])
		u.release()
	}
	switch {
	case s < least: // all elements are below 2⁻⁴⁸⁰
		return math.Sqrt(r.scaledSquares(n, scale, x, incX)) / scale
	case s > much: // an element is above 2⁴⁸⁰, or n is beyond any memory
		return math.Sqrt(r.scaledSquares(n, 1/scale, x, incX)) * scale
	}
	return math.Sqrt(s) // NaN too
}

// scaledSquares returns the sum of (scale*x[i])².
func (r *Routines) scaledSquares(n int, scale float64, x []float64, incX int) float64 {
	u := gatherCopy(n, x, incX)
	r.kernel.Scal(n, scale, &u.v[0])
	s := r.kernel.Dot(n, &u.v[0], &u.v[0])
	u.release()
	return s
}

// Dasum returns
//
//	sum over i of |x[i]|
//
// or 0 if n = 0 or incX < 0. The relative error is at most γ_{n-1}. The result is NaN if an element is
// NaN, otherwise +Inf if one is infinite. Dasum reads n elements and takes n flops. Eight partial sums
// take the elements in turn; the last n%8 elements are added at the end.
func (r *Routines) Dasum(n int, x []float64, incX int) float64 {
	check.Require(n >= 0, check.NLT0)
	check.Require(incX != 0, check.ZeroIncX)
	if n == 0 || incX < 0 {
		return 0
	}
	check.Vector(len(x), n, incX, check.ShortX)
	u := gather(n, x, incX)
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	rest := u.v
	for ; len(rest) >= 8; rest = rest[8:] {
		e := (*[8]float64)(rest)
		s0 += math.Abs(e[0])
		s1 += math.Abs(e[1])
		s2 += math.Abs(e[2])
		s3 += math.Abs(e[3])
		s4 += math.Abs(e[4])
		s5 += math.Abs(e[5])
		s6 += math.Abs(e[6])
		s7 += math.Abs(e[7])
	}
	sum := ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
	for _, e := range rest {
		sum += math.Abs(e)
	}
	u.release()
	return sum
}
