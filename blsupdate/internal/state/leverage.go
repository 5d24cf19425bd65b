package state

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
)

// restLimit returns the least 1 - h at which rows are removed from a state whose errors are seen in h as eps
// times noise. Without rows that are all that is known in some direction 1 - h is 0, but what is computed is
// rounding, of either sign, and it has to be below the limit.
func RestLimit(noise float64) float64 { return max(api.LeastRest, restNoise*dense.Eps*noise) }

// restNoise is the limit in units of eps times noise, for the noise that a method states. Of some 16000
// removals by each method of all that is known in a direction (k = 2 to 60, q = 1 to 2k, three kinds of A
// with κ up to 1e11) some were accepted with 0.1, in every method, and none with 1.
const restNoise = 5

// removalLimit is restLimit for the methods that keep an inverse, whose errors stay in it: noise is κ^power
// for the κ = 1/rcond of the worst state so far, with the Frobenius norm of A, so that it needs no factor
// for k. Where eps κ^power is 1 or more no h is known, and the error is a *ConditionError.
func RemovalLimit(rcond float64, power int) (float64, error) {
	noise := math.Pow(rcond, -float64(power))
	if dense.Eps*noise < 1 {
		return RestLimit(noise), nil
	}
	if power == 1 {
		return 0, &api.ConditionError{What: "[A; sqrt(lambda) I] before the removal", RCond: rcond}
	}
	return 0, &api.ConditionError{What: "A'A + lambda I before the removal", RCond: rcond * rcond, Instead: []api.Method{api.QR}}
}

// checkRemains returns a *LeverageError where fewer rows than nodes are to be left without a ridge: h is 1 then,
// whatever rounding makes of it. It does not hold for Original and Improved, whose state is determined by
// any rows.
func CheckRemains(lambda float64, left, k int, action api.Action) error {
	if lambda == 0 && left < k {
		return &api.LeverageError{Action: action}
	}
	return nil
}

// mostGain is the gain at which it is multiplied into the matrix, long before it or its inverse could
// overflow or underflow.
const MostGain = 0x1p200

// manyRemoved is the number of removed rows at which the condition is estimated in any case.
const ManyRemoved = 64

// leverageRows is the number of rows whose leverages are computed together: enough for products at full
// speed.
const LeverageRows = 512
