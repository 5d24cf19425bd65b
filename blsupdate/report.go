package blsupdate

import (
	"time"

	"blskernel/blsupdate/internal/cost"
)

// A Report is the account of one change of a model, or of its start.
type Report struct {
	Samples int   // l after it
	Added   int   // samples added; negative where they were removed
	Form    Form  // the form of the update, or the largest of its parts; Auto for methods without forms and where C was not zero
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

// Counted returns all flops that the backend was asked for, inside and outside of steps, without Abandoned.
func (r Report) Counted() float64 { return r.counted.Flops() }
