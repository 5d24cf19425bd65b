package blsupdate

import (
	"errors"
	"fmt"
	"time"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/linalg/detmath"
)

// A Report has the steps, flops and times of one change of a model, or of its start.
type Report struct {
	Samples int // l after the change
	Added   int // samples added; negative if they were removed
	// Form is the form of AddInputs, or the largest Form constant among the parts of the batch. It
	// is Auto in Gram and QR, after other changes, and also if C has rank q, unless the rows were
	// compressed.
	Form    Form
	Start   Start // how the model was started; meaningless in Gram and QR
	RankC   int   // the rank of C, or 0 if C was not computed
	Steps   []StepReport
	Elapsed time.Duration // the total time, in and between steps

	// Abandoned is the number of flops of a cheaper start that New gave up. No step includes them.
	Abandoned float64

	model, counted cost.Thirds
}

// A StepReport has the flops and the time of one step.
type StepReport struct {
	StepFlops         // the line of the flop model
	Model     float64 // flops according to the model
	Counted   float64 // flops requested from the backend
	Elapsed   time.Duration
}

// Model returns the flops of all steps according to the flop model.
func (r Report) Model() float64 { return r.model.Flops() }

// Counted returns the flops of all calls to the backend, in and between steps, without Abandoned.
func (r Report) Counted() float64 { return r.counted.Flops() }

// A Condition describes how accurate the weights of a model are.
type Condition struct {
	// RCond is an estimate of the smallest singular value of [A; sqrt(lambda) I] with its columns
	// scaled to norm 1. That value is between 1/κ and sqrt(k)/κ for the condition number κ of this
	// scaled matrix. Gram and QR estimate it from above by the Lanczos method, nearly always within
	// 10%. The other methods bound it from below, within a factor of sqrt(k). In Original and
	// Improved below full rank RCond is 1/(‖A‖‖A⁺‖) for the worst state so far, without scaling.
	RCond float64

	// Digits is a lower bound on the number of correct decimal digits of W, between 0 and 15.9. It
	// is minus the decimal logarithm of a bound on
	//
	//	max over targets t of max(‖δw_t‖/‖w_t‖, ‖D⁻¹δw_t‖/‖D⁻¹w_t‖),
	//
	// where w_t is column t of W, δw_t its error, and D = diag(1/d) for the norms d of the columns
	// of [A; sqrt(lambda) I]. D⁻¹w_t are the weights for columns of norm 1. Targets that are all
	// zero do not count, but if removals have left only zeros, Digits is 0 until Rebuild or until
	// rows with other targets are added. W is compared with the ridge solution for the given rows,
	// or, for lambda = 0 and columns that are dependent to within rounding, with the minimum-norm
	// solution.
	//
	// The bound accounts for the rounding errors of all changes so far, the residuals, and in
	// Original and Improved the bias of a ridge; docs/numerics.md derives every term. It rests on
	// three assumptions: the estimate of RCond in Gram and QR is good, a sum of n products has an
	// error of at most 1.7 sqrt(n) eps times the norms of its factors, and in the methods other
	// than Gram new rows make up for removed ones that took at most half of the squared length of A
	// in any direction. The third fails after many such removals without additions between them:
	// call Rebuild then.
	Digits float64

	// Advice says what to do if Digits is below 6, and is empty otherwise.
	Advice string

	// Instead is the method that Advice recommends: QR in place of a method with an error of eps
	// κ², otherwise the current method.
	Instead Method
}

const (
	enoughDigits = 6    // with fewer digits a Condition gives advice
	maxDigits    = 15.9 // of a float64
	maxError     = 0.05 // above it terms of higher order may matter, and Digits is 0
)

func digits(err float64) float64 {
	if !(err < maxError) {
		return 0
	}
	return min(maxDigits, -detmath.Log10(err))
}

func (u *updater) Condition() Condition {
	u.startClock()
	_, err := u.solve()
	accuracy := u.state.Condition()
	rcond, power := accuracy.RCond, accuracy.Power
	c := Condition{RCond: rcond, Digits: digits(accuracy.Error), Instead: u.method}
	if err != nil {
		c.Digits = 0
	}
	if c.Digits >= enoughDigits {
		return c
	}
	const remedy = "raise lambda, scale the columns, or drop nodes that are nearly linear combinations of others"
	var rank *RankError
	var short *MemoryError
	better := digits(state.Unit(u.Samples(), u.Nodes()) / rcond)
	switch {
	case errors.As(err, &rank):
		c.Advice = "there are fewer samples than nodes: add rows or raise lambda"
	case errors.As(err, &short):
		c.Advice = "Condition needs the weights: " + short.Error()
	case accuracy.Dependent:
		c.Advice = "the rows do not determine all weights, and rounding may hide the rank of A: drop nodes that are nearly linear combinations of others, " +
			"start a new model with a ridge, or, after many changes, compute this one anew from all rows, as Rebuild does"
	case err == nil && digits(accuracy.Rebuilt) >= max(enoughDigits, c.Digits+1):
		c.Advice = "earlier rows or changes have left errors: compute the model anew from all rows, as Rebuild does"
	case power == 2 && rcond == 0: // κ is above 1/sqrt(eps), by an unknown factor
		c.Instead = QR
		c.Advice = "A'A + lambda I is singular to working precision: start a new model with qr, which does not square the condition number; otherwise " + remedy
	case power == 2 && better >= c.Digits+1:
		c.Instead = QR
		c.Advice = fmt.Sprintf("the error of %v grows with the square of the condition number (%.1g): start a new model with qr, which keeps %.0f digits, or raise lambda",
			u.method, 1/rcond, better)
	case rcond == 0:
		c.Advice = "the nodes are linearly dependent to working precision: " + remedy
	default:
		c.Advice = fmt.Sprintf("the condition number is %.1g: %s", 1/rcond, remedy)
	}
	return c
}
