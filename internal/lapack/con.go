package lapack

import "blskernel/internal/isfinite"

// Con returns an estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) from anorm = ‖A‖₁ and a function that overwrites x by A⁻¹x
// or, if trans is set, by A⁻ᵀx. It is 0 where the condition number overflows.
//
// It is the estimate of norm1 for a multiple of A⁻¹: anorm, so that the solves have the size of the
// condition number, or 2⁶⁴ if anorm is larger, since they multiply elements of A by results. So they
// are finite for condition numbers up to 2⁹⁶⁰, and need no rescaling as in dlatrs.
func Con(n int, anorm float64, solve func(x []float64, trans bool)) float64 {
	if n == 0 {
		return 1
	}
	scale := min(anorm, 0x1p64)
	e := newNorm1(make([]float64, n))
	for e.next() {
		for i := range e.x {
			e.x[i] *= scale
		}
		solve(e.x, e.trans)
		if !isfinite.All(e.x) {
			return 0
		}
	}
	if !(e.est > 0) || !isFinite(e.est) {
		return 0
	}
	return scale / anorm / e.est
}
