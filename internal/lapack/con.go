package lapack

import (
	"blskernel/internal/isfinite"

	"gonum.org/v1/gonum/lapack/gonum"
)

// Con returns an estimate of 1/(‖A‖₁ ‖A⁻¹‖₁) from anorm = ‖A‖₁ and a function that overwrites x by A⁻¹x
// or, if trans is set, by A⁻ᵀx. It is 0 where the condition number overflows.
//
// It is the estimator of Hager (SIAM J. Sci. Stat. Comput. 5, 1984) and Higham (ACM TOMS 14, 1988,
// doi:10.1145/50063.214386), LAPACK's dlacn2, applied to anorm*A⁻¹: the solves then have the size of
// the condition number, whatever the scale of A, and need no rescaling as in dlatrs.
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
	var (
		impl  gonum.Implementation
		v     = make([]float64, n)
		x     = make([]float64, n)
		isgn  = make([]int, n)
		isave [3]int
		est   float64
		kase  int
	)
	for {
		est, kase = impl.Dlacn2(n, v, x, isgn, est, kase, &isave)
		if kase == 0 {
			break
		}
		for i := range x {
			x[i] *= anorm
		}
		solve(x, kase == 2)
		if !isfinite.All(x) {
			return 0
		}
	}
	if !(est > 0) || !isFinite(est) {
		return 0
	}
	return factor / est
}
