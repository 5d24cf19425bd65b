package bigfloat

import (
	"math"
	"math/big"
)

// Exp returns e^x by Taylor's series at x/2^h and h squarings, each of which doubles the relative
// error: h <= 19 bits of x's precision are lost for |x| < 2^11. Beyond that it returns infinity or
// zero, to which e^x rounds in float64.
func Exp(x *big.Float) *big.Float {
	of := func(v float64) *big.Float { return new(big.Float).SetPrec(x.Prec()).SetFloat64(v) }
	if x.MantExp(nil) > 11 {
		if x.Signbit() {
			return of(0)
		}
		return of(math.Inf(1))
	}
	h := 0
	if x.Sign() != 0 {
		h = max(0, x.MantExp(nil)+8)
	}
	r, sum, term := of(0).SetMantExp(x, -h), of(1), of(1)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -int(x.Prec()); k++ {
		term.Mul(term, r)
		term.Quo(term, of(float64(k)))
		sum.Add(sum, term)
	}
	for range h {
		sum.Mul(sum, sum)
	}
	return sum
}

// Ulps returns |got - want| in units in the last place of the float64 next to want: 2^(e-53) for want
// in [2^(e-1), 2^e), and the spacing 2^-1074 in the subnormal range. If got or want, rounded to
// float64, is infinite, the error is 0 if both agree and otherwise infinite. The error of NaN is NaN.
func Ulps(got float64, want *big.Float) float64 {
	if nearest := Float(want); math.IsNaN(got) || math.IsInf(got, 0) || math.IsInf(nearest, 0) {
		if got == nearest {
			return 0
		}
		return math.Abs(got - nearest)
	}
	e := -1074
	if want.Sign() != 0 {
		e = max(e, want.MantExp(nil)-53)
	}
	d := new(big.Float).SetPrec(want.Prec()).SetFloat64(got)
	d.Sub(d, want)
	return math.Abs(Float(d.SetMantExp(d, -e)))
}
