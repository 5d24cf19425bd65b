package blsupdate

import "math"

// leastRest is the smallest 1 - h at which rows are removed, where h is the largest eigenvalue of Ax (AᵀA +
// lambda I)⁻¹ Axᵀ. The relative error of the removal is about 10 eps over it, and 100 eps over it in Gram.
const leastRest = 1e-8

// restLimit returns the least 1 - h at which rows are removed from a state whose errors are seen in h as eps
// times noise. Without rows that are all that is known in some direction 1 - h is 0, but what is computed is
// rounding, of either sign, and it has to be below the limit.
func restLimit(noise float64) float64 { return max(leastRest, restNoise*eps*noise) }

// restNoise is the limit in units of eps times noise, for the noise that a method states. Of some 16000
// removals by each method of all that is known in a direction (k = 2 to 60, q = 1 to 2k, three kinds of A
// with κ up to 1e11) some were accepted with 0.1, in every method, and none with 1.
const restNoise = 5

// removalLimit is restLimit for the methods that keep an inverse, whose errors stay in it: noise is κ^power
// for the κ = 1/rcond of the worst state so far, with the Frobenius norm of A, so that it needs no factor
// for k. Where eps κ^power is 1 or more no h is known, and the error is a *ConditionError.
func removalLimit(rcond float64, power int) (float64, error) {
	noise := math.Pow(rcond, -float64(power))
	if eps*noise < 1 {
		return restLimit(noise), nil
	}
	if power == 1 {
		return 0, &ConditionError{What: "[A; sqrt(lambda) I] before the removal", RCond: rcond}
	}
	return 0, &ConditionError{What: "A'A + lambda I before the removal", RCond: rcond * rcond, Instead: []Method{QR}}
}

// checkRemains returns a *LeverageError where fewer rows than nodes are to be left without a ridge: h is 1 then,
// whatever rounding makes of it. It does not hold for Original and Improved, whose state is determined by
// any rows.
func checkRemains(lambda float64, left, k int, action Action) error {
	if lambda == 0 && left < k {
		return &LeverageError{Action: action}
	}
	return nil
}
