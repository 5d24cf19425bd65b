// Package condition estimates condition numbers, refines solutions and bounds their errors.
package condition

import (
	"math"

	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
)

// Con returns an estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) from anorm = ‖A‖₁ and a function that overwrites x by A⁻¹x
// or, if trans is set, by A⁻ᵀx. It is 0 where a result is not finite.
//
// It is the estimate of norm1 for anorm*A⁻¹, less a power of two where anorm is above 2⁶⁴: the solves,
// which multiply elements of A by results, are finite up to condition numbers of 2⁹⁶⁰.
func Con(n int, anorm float64, solve func(x []float64, trans bool)) float64 {
	if n == 0 {
		return 1
	}
	_, exponent := math.Frexp(anorm)
	down := math.Ldexp(1, min(0, 64-exponent))
	anorm *= down
	e := newNorm1(make([]float64, n))
	for e.next() {
		for i := range e.x {
			e.x[i] *= anorm
		}
		solve(e.x, e.trans)
		if !floats.Finite(e.x) {
			return 0
		}
	}
	if !(e.est > 0) || !factor.IsFinite(e.est) {
		return 0
	}
	return min(1, down/e.est) // which rounding may exceed
}
