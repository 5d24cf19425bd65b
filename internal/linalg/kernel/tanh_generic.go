package kernel

import "math"

// The hyperbolic tangent, for all kernels. With a = |x|, E = e^(2a) and n the integer nearest 2a/ln 2,
//
//	y = a - n·ln2/2,  |y| <= ln2/4,     E = 2^n·e^(2y) = 2^n·(1+t)/(1-t)  with t = tanh y,
//	tanh a = 1 - 2/(E+1) = 1 - 2·(1-t)/(2^n·(1+t) + (1-t)).
//
// Below tanhBreak, n is taken as zero instead, so that y = a and tanh a = t. One rational function
// serves both cases,
//
//	t = y·B/A,  B = A - 2w,  w = s·P(s),  A = A(s),  s = y²,
//
// with P and A of degree 3. One division is enough, because t need not be formed:
//
//	below:  tanh a = y - 2·(y·w)/A                              since yB/A = y - 2yw/A
//	above:  tanh a = 1 - 2·b/(2^n·(A+yB) + b),  b = A - yB      numerator and denominator times A
//
// Each is a base minus a correction. The last rounding costs half an ulp. The relative error of the
// correction counts in proportion to its size, which is largest at the break: 0.204 below (0.9375 -
// tanh 0.9375), 0.266 above (1 - tanh 0.9375). In units of u = 2^-53, the ulp of results in [0.5, 1):
//
//	below:  P, s and their product w, its product with y, A, and the quotient are rounded: 6.6u at
//	        most, with the earlier steps of P and A; 0.204·6.6 + 0.5 = 1.84 ulp. For smaller y,
//	        the correction falls like y³.
//	above:  y is off by u/8, so E by u/4; t, at most 0.172, by 1.1u·t (A cancels in B/A,
//	        w is small), so E by 0.4u; A+yB, b, the denominator and the quotient by u each, and by
//	        0.35u together where products are rounded (no fused multiply-add): 5u, 0.266·5 + 0.5 =
//	        1.83 ulp.
//
// The largest errors found among 31 million random arguments, most of them near the break, are 1.28 ulp
// with fused multiply-adds and 1.34 without.
//
// P and A interpolate tanh: t = y - 2yw/A exactly at y = 0 (with multiplicity three) and at the zeros
// of the Chebyshev polynomial T17(y/0.9375), except the middle three. With the rounded coefficients the
// relative error of t nearly equioscillates, at 2^-59.3. TestTanhConstants recomputes P and A.
const (
	// For a >= 19.07, 1 - tanh a is less than half an ulp. Limiting a to tanhClamp bounds n.
	tanhClamp = 20
	// At the break the two bounds above are about equal. From there on, n >= 3.
	tanhBreak = 0.9375

	// Adding tanhShift, whose ulp is 1, rounds 2a/ln 2 to n. The low 11 bits of the sum are n +
	// 1023, the exponent field of 2^n.
	tanhLog   = 2 * math.Log2E
	tanhShift = 0x1.8p52 + 1023

	// tanhHi + tanhLo is ln2/2, with tanhLo rounded. tanhHi has 46 bits, so that n·tanhHi is exact
	// for n < 2^7. a - n·tanhHi is exact too, since it is a multiple of 2^-53 below 1/4.
	tanhHi = 0x1.62e42fefa3ap-2
	tanhLo = -0x1.0ca86c3898dp-50

	tanhP0 = 0x1.5555555555554p-3
	tanhP1 = 0x1.5ebbb1fc3bcb5p-7
	tanhP2 = 0x1.fdf0de6a23be6p-14
	tanhP3 = 0x1.27b86656fe4b8p-27

	tanhA1 = 0x1.db5ccaf8e4cabp-2
	tanhA2 = 0x1.919fbaac5eaf2p-6
	tanhA3 = 0x1.0a84d5c1c7f57p-12
)

// tanhConstants holds the constants for the vector kernels, in the order that they expect.
var tanhConstants = [...]float64{
	tanhClamp, tanhBreak, tanhLog, tanhShift, tanhHi, tanhLo,
	tanhP3, tanhP2, tanhP1, tanhP0, tanhA3, tanhA2, tanhA1, 1, 2, math.Copysign(0, -1),
}

// tanhTable holds each of tanhConstants four times in a row, as AVX2 and NEON read them.
var tanhTable = func() (t [len(tanhConstants)][4]float64) {
	for i, c := range tanhConstants {
		t[i] = [4]float64{c, c, c, c}
	}
	return t
}()

// tanhBy returns a Tanh that calls the assembly function f with the addresses and the length of the
// slices, and with tanhTable.
func tanhBy(f func(dst, src *float64, n int, table *float64)) func(dst, src []float64) {
	return func(dst, src []float64) {
		checkElementwise(dst, src)
		if len(src) > 0 {
			f(&dst[0], &src[0], len(src), &tanhTable[0][0])
		}
	}
}

func checkElementwise(dst, src []float64) {
	if len(dst) < len(src) {
		panic("kernel: dst is shorter than src")
	}
}

func dtanhGeneric(dst, src []float64) {
	checkElementwise(dst, src)
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = tanh(x)
	}
}

func tanh(x float64) float64 {
	y, n, pow := math.Abs(x), 0.0, 0.0
	if y > tanhClamp {
		y = tanhClamp
	}
	small := y < tanhBreak
	if !small {
		shifted := fma(y, tanhLog, tanhShift)
		n = shifted - tanhShift
		pow = math.Float64frombits(math.Float64bits(shifted) << 52)
		y = fma(-n, tanhHi, y)
		y = fma(-n, tanhLo, y)
	}
	s := y * y
	w := s * fma(fma(fma(tanhP3, s, tanhP2), s, tanhP1), s, tanhP0)
	a := fma(fma(fma(tanhA3, s, tanhA2), s, tanhA1), s, 1)
	base, num, den := y, y*w, a
	if !small {
		b := fma(-2, w, a)
		base, num = 1, fma(-y, b, a)
		den = fma(pow, fma(y, b, a), num)
	}
	return math.Copysign(fma(-2, num/den, base), x)
}
