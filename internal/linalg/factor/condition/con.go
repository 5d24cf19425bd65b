// Package condition estimates condition numbers, refines solutions and bounds their errors.
package condition

import (
	"math"

	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
)

// Con returns an estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) for an n×n matrix A. anorm is ‖A‖₁, and solve overwrites x
// with A⁻¹x or, if trans is set, with A⁻ᵀx. Con returns 0 if anorm is 0 or a solution is not finite.
//
// Con estimates the norm of anorm*A⁻¹, with anorm scaled down by a power of two if it is above 2⁶⁴. The
// products of elements of A and solutions are then finite for condition numbers up to 2⁹⁶⁰.
func Con(n int, anorm float64, solve func(x []float64, trans bool)) float64 {
	if n == 0 {
		return 1
	}
	_, exponent := math.Frexp(anorm)
	down := math.Ldexp(1, min(0, 64-exponent))
	anorm *= down
	w := factor.Acquire()
	defer w.Release()
	e := norm1{x: w.Take(n), signs: w.Take(n)}
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
	return min(1, down/e.est) // rounding may give more than 1
}
