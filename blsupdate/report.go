package blsupdate

import (
	"time"

	"blskernel/blsupdate/internal/cost"
)

// A Report is the account of one change of a model, or of its start.
type Report struct {
	Samples int   // l after it
	Added   int   // samples added; negative where they were removed
	Form    Form  // the form that was taken; Auto where there is no choice, and where C was not zero; of parts the largest
	Start   Start // how the first state was found; without meaning for Gram and QR, which have one way
	RankC   int   // the rank of C where it was computed; B is by the general formula if not 0
	Steps   []StepReport
	Elapsed time.Duration // of all steps and what is between them

	// Abandoned is the number of flops spent on a cheaper way to the first state that was tried before
	// and given up. They are in none of the steps.
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

// Counted returns all flops that the backend was asked for, in steps of the model or not, but for
// Abandoned.
func (r Report) Counted() float64 { return r.counted.Flops() }
