package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"time"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/detmath"
)

// A Report is the account of one change of a model, or of its start.
type Report struct {
	Samples int // l after it
	Added   int // samples added; negative where they were removed
	// Form is that of the update, or the largest of its parts. It is Auto for methods without forms
	// and where C was not zero.
	Form    Form
	Start   Start // the way of the start; without meaning in Gram and QR
	RankC   int   // the rank of C where it was computed; if not 0, B is by the general formula
	Steps   []StepReport
	Elapsed time.Duration // of all steps and the time between them

	// Abandoned is the flops of a cheaper start that was tried and given up. No step has them.
	Abandoned float64

	model, counted cost.Thirds
}

// A StepReport is the account of one step.
type StepReport struct {
	StepFlops         // of the model
	Model     float64 // flops by the model
	Counted   float64 // flops that the backend was asked for
	Elapsed   time.Duration
}

// Model returns the flops of all steps by the model.
func (r Report) Model() float64 { return r.model.Flops() }

// Counted returns all flops that the backend was asked for, inside and outside of steps, without
// Abandoned.
func (r Report) Counted() float64 { return r.counted.Flops() }

// A Condition says how accurate the weights of a model are.
type Condition struct {
	// RCond is an estimate of 1/κ, at most 1, where κ is the 2-norm condition number of
	// [A; sqrt(lambda) I]: of the present state in Gram and QR, and of the worst so far where
	// errors stay in the state. The norm of A is the largest that it had. The estimate may be too
	// small by a factor of k, and too large by a factor of 10.
	RCond float64

	// Digits is a lower bound on the correct decimal digits of W, in norm, by the error growth of
	// the method: minus the logarithm of 10 sqrt(l) eps κ, or of 10 sqrt(l) eps κ². After removals
	// it is that of the bound over the smallest 1-h, or of 1e3 eps/(1-h) where that is less. It is
	// between 0 and 16, and usually too low. The norm is that of W for targets of about the same
	// size. Digits does not hold where columns are dependent and only a small ridge determines W:
	// that adds an unknown eps κ²‖Y - A W‖/(‖A‖‖W‖).
	//
	//	source: Higham, Accuracy and Stability of Numerical Algorithms, theorem 20.1.
	Digits float64

	// Advice says what to do where Digits is below 6, and is empty otherwise.
	Advice string

	// Instead is the method that Advice recommends: QR where a method with an error of eps κ²
	// should give way to it, and else the method itself.
	Instead Method
}

const (
	enoughDigits = 6   // below it a Condition gives advice
	removalLoss  = 1e3 // bounds the error of a removal in units of eps/(1-h)
)

// digits returns the decimal digits that an error of 10 sqrt(l) eps κ^power leaves.
func digits(l int, rcond float64, power int) float64 {
	if !(rcond > 0) {
		return 0
	}
	lost := detmath.Log10(10*dense.Eps*math.Sqrt(float64(max(l, 1)))) - float64(float64(power)*detmath.Log10(rcond))
	return min(16, max(0, -lost))
}

// digitsAt returns the digits that the bounds for updates and for removals leave.
func (u *updater) digitsAt(rcond float64, power int) float64 {
	d := digits(u.Samples(), rcond, power)
	if lost := u.state.Common().Lost; lost > 0 {
		// A removal has an error of its own, and earlier errors grow as well.
		d = max(0, min(d-detmath.Log10(lost), -detmath.Log10(removalLoss*dense.Eps*lost)))
	}
	return d
}

func (u *updater) Condition() Condition {
	u.begin()
	_, err := u.solve()
	rcond, power := u.state.Condition()
	c := Condition{RCond: min(1, rcond), Digits: u.digitsAt(rcond, power), Instead: u.method}
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
	case power == 2 && rcond == 0: // κ is above 1/sqrt(eps), by an unknown factor
		c.Instead = QR
		c.Advice = "A'A + lambda I is singular to working precision: start the model anew by qr, which does not square the condition number, or " + mend
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
