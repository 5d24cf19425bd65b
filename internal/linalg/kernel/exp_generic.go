package kernel

import "math"

// The exponential, for all kernels. With n the integer next to x/ln 2,
//
//	r = x - n·ln 2,  |r| <= ln2/2,     e^x = 2^n·e^r,     e^r = 1 + r + r²·q(r)
//
// where q has degree 9. The sum has one rounding: h = 1 + r is rounded to a number next to 1, l = r -
// (h-1) is exactly the rounding error, and e^r = h + (l + r²q). In units of u = 2^-53, an ulp of
// results in [0.5, 1), where errors weigh most (r < 0), the errors are: the last sum 0.5; r, off by
// u/4, 0.2; r²q, at most 0.054 and off by 5u of itself (r², q twice, and the product, fused or not),
// 0.27; the approximation, 2^-56, 0.09: less than 1.1 ulp. The largest error found among 52 million
// random arguments is 0.89 ulp.
//
// A product with 2^n in two steps, 2^(n div 2) and the rest, rounds only if the result is subnormal,
// and overflows if and only if the rounded result exceeds the largest number.
//
// q interpolates (e^r - 1 - r)/r² at the zeros of the Chebyshev polynomial T12(2r/ln2) except the two
// next to 0, for which the factor r² stands: the error of e^r is at most 2^-56 with the rounded
// coefficients, nearly equal in all ripples. TestExpConstants computes them.
const (
	// Outside, e^x is infinite (from 709.79) or rounds to zero (from -745.14). Inside, |n| < 2^11.
	expMax = 710
	expMin = -750

	// Adding a number whose ulp is 1 gives n. The low 12 bits of the sum are n + 2·1023: one half
	// is the exponent field of 2^(n div 2), the other the exponent field of the rest.
	expShift = 0x1.8p52 + 2*1023

	// ln 2 in two parts. Hi has 42 bits, so that n·Hi is exact, and so is x - n·Hi. Lo is the rest,
	// rounded.
	expHi = 0x1.62e42fefa38p-1
	expLo = 0x1.ef35793c7673p-45

	expQ0 = 0x1.000000000000ep-1
	expQ1 = 0x1.5555555555559p-3
	expQ2 = 0x1.555555554f7e1p-5
	expQ3 = 0x1.111111110f452p-7
	expQ4 = 0x1.6c16c18714bc4p-10
	expQ5 = 0x1.a01a01b0b5452p-13
	expQ6 = 0x1.a019935c3bd36p-16
	expQ7 = 0x1.71ddf67e355c8p-19
	expQ8 = 0x1.28b2d84609d77p-22
	expQ9 = 0x1.af61aa5ccf29dp-26
)

// expTable holds the constants of the vector kernels, in their order.
var expTable = rows(
	expMax, expMin, math.Log2E, expShift, expHi, expLo,
	expQ9, expQ8, expQ7, expQ6, expQ5, expQ4, expQ3, expQ2, expQ1, expQ0, 1,
)

// dexpGeneric is the reference for Exp.
func dexpGeneric(dst, src []float64) {
	checkElementwise(dst, src)
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = exp(x)
	}
}

func exp(x float64) float64 {
	if x > expMax {
		x = expMax
	}
	if x < expMin {
		x = expMin
	}
	shifted := fma(x, math.Log2E, expShift)
	n := shifted - expShift
	r := fma(-n, expLo, fma(-n, expHi, x))
	r2 := r * r
	even := fma(fma(fma(fma(expQ8, r2, expQ6), r2, expQ4), r2, expQ2), r2, expQ0)
	odd := fma(fma(fma(fma(expQ9, r2, expQ7), r2, expQ5), r2, expQ3), r2, expQ1)
	q := fma(odd, r, even)
	h := 1 + r
	l := r - (h - 1)
	e := h + fma(r2, q, l)
	both := math.Float64bits(shifted)
	half := both >> 1
	return e * math.Float64frombits(half<<52) * math.Float64frombits((both-half)<<52)
}
