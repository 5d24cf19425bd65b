package lapack

import "blskernel/internal/isfinite"

// Con returns an estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) from anorm = ‖A‖₁ and a function that overwrites x by A⁻¹x
// or, if trans is set, by A⁻ᵀx. It is 0 where the condition number overflows.
//
// It is the estimate of norm1 for anorm*A⁻¹: the solves then have the size of the condition number,
// whatever the scale of A, and need no rescaling as in dlatrs.
func Con(n int, anorm float64, solve func(x []float64, trans bool)) float64 {
	if n == 0 {
		return 1
	}
	// Solves with an anorm near the largest number might overflow on the way.
	factor := 1.0
	if anorm > 0x1p900 {
		factor = 0x1p-64
	}
	anorm *= factor
	e := newNorm1(make([]float64, n))
	for e.next() {
		for i := range e.x {
			e.x[i] *= anorm
		}
		solve(e.x, e.trans)
		if !isfinite.All(e.x) {
			return 0
		}
	}
	if !(e.est > 0) || !isFinite(e.est) {
		return 0
	}
	return factor / e.est
}
