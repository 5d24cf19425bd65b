package lapack

import (
	"math"

	"blskernel/internal/linalg/detmath"
)

// A product holds the product of any number of factors as mantissa*2^exponent, without overflow or
// underflow. Each factor costs one rounding of the mantissa. A sum of logarithms would instead have
// rounding errors relative to its largest partial sum.
type product struct {
	mantissa float64 // its magnitude is in [1/2, 1)
	exponent int
}

func unitProduct() product { return product{0.5, 1} }

func (p *product) multiply(v float64) {
	f, e := math.Frexp(v)
	m, e2 := math.Frexp(p.mantissa * f)
	p.mantissa, p.exponent = m, p.exponent+e+e2
}

// log returns log|p| and the sign of p. No factor of p may be zero.
func (p product) log() (log, sign float64) {
	// A determinant near 1 gets a mantissa near 1 and e = 0, so that no two logarithms cancel.
	m, e := math.Abs(p.mantissa), p.exponent
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	return detmath.Log(m) + float64(float64(e)*math.Ln2), math.Copysign(1, p.mantissa)
}
