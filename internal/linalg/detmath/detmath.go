// Package detmath has elementary functions that return the same bits on every machine, because every
// operation is rounded as written. Package math uses assembly on some machines, and on others the
// compiler fuses its products with sums. This also affects the normal distribution of math/rand, so
// this package has its own normal distribution, and SplitMix64. An ulp is the distance between a result
// and the next float64.
package detmath

import (
	"math"
	"math/rand/v2"
)

// Hypot returns sqrt(x² + y²) to within 1.25 ulp, without overflow or underflow of the squares. Two
// roundings in the sum of squares, halved by the root, make 0.75 ulp; the root adds 0.5. A subnormal
// result is rounded once more. Hypot is +Inf if x or y is infinite, otherwise NaN if either is NaN.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 1) || math.IsInf(y, 1):
		return math.Inf(1)
	case x < y:
		x, y = y, x
	}
	// Products with powers of two are exact; y underflows only if it is too small to matter.
	down := 1.0
	if x > 0x1p500 {
		x, y, down = x*0x1p-600, y*0x1p-600, 0x1p600
	} else if x < 0x1p-400 {
		x, y, down = x*0x1p600, y*0x1p600, 0x1p-600
	}
	return math.Sqrt(math.FMA(x, x, float64(y*y))) * down
}

// ln2Hi + ln2Lo is ln 2. ln2Hi has only 32 significant bits, so its products with exponents are exact.
const (
	ln2Hi = 0x1.62e42feep-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// logPolynomial holds the coefficients of s², s⁴, ..., s¹⁴ in the R of Log.
var logPolynomial = [...]float64{
	0x1.5555555555593p-1, 0x1.999999997fa04p-2, 0x1.2492494229359p-2, 0x1.c71c51d8e78afp-3,
	0x1.7466496cb03dep-3, 0x1.39a09d078c69fp-3, 0x1.2f112df3e5244p-3,
}

// Log returns the natural logarithm of x to within 1 ulp, -Inf for x = 0 and NaN for x < 0.
//
// With x = 2^k (1+f), 1+f between sqrt(1/2) and sqrt(2), and s = f/(2+f),
//
//	log(1+f) = 2s + s R = f - (f²/2 - s(f²/2 + R)),   R = (log((1+s)/(1-s)) - 2s)/s.
//
//	source: FreeBSD, lib/msun/src/e_log.c, Sun Microsystems 1993.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	f, k := m-1, float64(e)
	s := f / (2 + f)
	s2 := float64(s * s)
	r := 0.0
	for i := len(logPolynomial) - 1; i >= 0; i-- {
		r = float64((r + logPolynomial[i]) * s2)
	}
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// expPolynomial holds the coefficients of r², r⁴, ..., r¹⁰ in the c of Exp.
var expPolynomial = [...]float64{
	0x1.555555555553ep-3, -0x1.6c16c16bebd93p-9, 0x1.1566aaf25de2cp-14, -0x1.bbd41c5d26bf1p-20, 0x1.6376972bea4dp-25,
}

// Exp returns e^x to within 1 ulp, 0 if e^x is too small for a float64, and +Inf if it is too large.
//
// With x = k log(2) + r, |r| at most log(2)/2,
//
//	e^r = 1 + r + r c/(2 - c),   c = r - r²(p1 + r²(p2 + ...)).
//
//	source: FreeBSD, lib/msun/src/e_exp.c, Sun Microsystems 2004.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	k := math.Round(float64(x * (1 / math.Ln2)))
	hi, lo := x-float64(k*ln2Hi), float64(k*ln2Lo)
	r := hi - lo
	r2 := float64(r * r)
	p := 0.0
	for i := len(expPolynomial) - 1; i >= 0; i-- {
		p = float64((p + expPolynomial[i]) * r2)
	}
	c := r - p
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), int(k))
}

// Log10 returns the decimal logarithm of x to within 3 ulp, with the special cases of Log.
func Log10(x float64) float64 { return float64(Log(x) * (1 / math.Ln10)) }

// Pow returns x^n for n >= 0, in at most 2 log2(n) + 2 products. The relative error is below n·2^-52.
func Pow(x float64, n int) float64 {
	power := 1.0
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			power *= x
		}
		x *= x
	}
	return power
}

// SplitMixStep is added to the state of SplitMix64 in each step.
const SplitMixStep = 0x9e3779b97f4a7c15

// SplitMix64 returns the number that SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) draws in the state
// v: a one-to-one map of the 64-bit numbers. If one bit of v flips, so do about half of the result's.
func SplitMix64(v uint64) uint64 {
	v += SplitMixStep
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// Normal returns a standard normal random number, drawn from r by Marsaglia's polar method.
func Normal(r *rand.Rand) float64 {
	for {
		x, y := 2*float64(r.Float64())-1, 2*float64(r.Float64())-1
		if s := float64(x*x) + float64(y*y); s > 0 && s < 1 {
			return x * math.Sqrt(-2*Log(s)/s)
		}
	}
}

// Coefficients of NormalQuantile's numerators and denominators near the median and in the tails, in
// ascending order.
var (
	quantileCenter = [2][8]float64{
		{3.3871328727963666080, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
			4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
		{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
			2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
	}
	quantileTail = [2][8]float64{
		{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
			1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
)

// NormalQuantile returns the number that a standard normal variable falls below with probability p. The
// relative error is at most 1e-14 for p from 1.4e-11 to 1 - 1.4e-11. p <= 0 and p >= 1 give NaN.
//
//	source: M. J. Wichura, Algorithm AS 241, Appl. Statist. 37 (1988) 477-484, PPND16.
func NormalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return q * rational(&quantileCenter, 0.180625-float64(q*q))
	}
	z := rational(&quantileTail, math.Sqrt(-Log(min(p, 1-p)))-1.6)
	return math.Copysign(z, q)
}

// rational returns the quotient of two polynomials at x, given their coefficients in ascending order.
func rational(coefficients *[2][8]float64, x float64) float64 {
	var value [2]float64
	for of, c := range coefficients {
		for i := len(c) - 1; i >= 0; i-- {
			value[of] = float64(value[of]*x) + c[i]
		}
	}
	return value[0] / value[1]
}
