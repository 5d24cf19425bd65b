package blsupdate

import (
	"errors"
	"fmt"
	"math"

	"blskernel/blsupdate/internal/dense"
)

// A Condition says how far the weights of a model can be trusted.
type Condition struct {
	// RCond is 1/κ, estimated, where κ is the 2-norm condition number of [A; sqrt(lambda) I]: of the present
	// state where that determines the weights, as in Gram and QR, and of the worst so far where errors stay
	// in the state. The norm of A is the largest that it had, since errors of that time are
	// not removed with its rows. The estimate may be too small by a factor k, and by a factor 10 too large.
	RCond float64

	// Digits is the number of decimal digits of W that rounding leaves at least, in norm, by the error
	// growth of the method: minus the logarithm of 10 sqrt(l) eps κ, or of 10 sqrt(l) eps κ², and after removals that of
	// the bound over the smallest 1-h, or of 1e3 eps/(1-h) where that is less. It is between 0 and 16, and usually an
	// understatement. The norm is that of W for targets all of about the same size. Where columns are dependent and only
	// a small ridge determines W it is none: what W leaves of the targets then adds eps κ²‖Y - A W‖/(‖A‖‖W‖), which is
	// not known without the data (Higham, Accuracy and Stability of Numerical Algorithms, theorem 20.1).
	Digits float64

	// Advice says what to do where Digits is below 6 and something can be done, and is empty otherwise.
	Advice string

	// Instead is the method that Advice recommends: QR where Gram, or another method with an error of
	// eps κ², should give way to it. It is the method itself otherwise.
	Instead Method
}

// enoughDigits is the number of digits below which a Condition gives advice.
const enoughDigits = 6

// digits returns how many decimal digits an error of 10 sqrt(l) eps κ^power leaves.
func digits(l int, rcond float64, power int) float64 {
	if !(rcond > 0) {
		return 0
	}
	lost := math.Log10(10*dense.Eps*math.Sqrt(float64(max(l, 1)))) - float64(power)*math.Log10(rcond)
	return min(16, max(0, -lost))
}

// digitsAt returns the digits that the bounds for updates and for removals leave.
func (u *updater) digitsAt(rcond float64, power int) float64 {
	d := digits(u.samples, rcond, power)
	if lost := u.state.Common().Lost; lost > 0 {
		// A removal has an error of its own, and what was there before it grows as well.
		d = max(0, min(d-math.Log10(lost), -math.Log10(removalLoss*dense.Eps*lost)))
	}
	return d
}

// removalLoss bounds the error of a removal in units of eps/(1-h).
const removalLoss = 1e3

func (u *updater) Condition() Condition {
	u.begin()
	_, err := u.solve()
	rcond, power := u.state.Condition()
	c := Condition{RCond: rcond, Digits: u.digitsAt(rcond, power), Instead: u.method}
	if err != nil {
		c.Digits = 0
	}
	if c.Digits >= enoughDigits {
		return c
	}
	const mend = "raise lambda, scale the columns, or drop nodes that are nearly combinations of others"
	var rank *RankError
	var short *MemoryError
	better := u.digitsAt(rcond, 1)
	switch {
	case errors.As(err, &rank):
		c.Advice = "there are fewer samples than nodes: add rows or raise lambda"
	case errors.As(err, &short):
		c.Advice = "nothing can be said without the solution: " + short.Error()
	case power == 2 && rcond == 0: // κ is beyond 1/sqrt(eps), but nobody knows how far
		c.Instead = QR
		c.Advice = fmt.Sprintf("A'A + lambda I is singular to working precision: start the model anew by qr, which does not square the condition number, or %s", mend)
	case power == 2 && better >= c.Digits+1:
		c.Instead = QR
		c.Advice = fmt.Sprintf("the error of %v grows with the square of the condition number, %.1g: start the model anew by qr, which keeps %.0f digits, or raise lambda",
			u.method, 1/rcond, better)
	case rcond == 0:
		c.Advice = "the nodes are dependent to working precision: " + mend
	default:
		c.Advice = fmt.Sprintf("the condition number is %.1g: %s", 1/rcond, mend)
	}
	return c
}
