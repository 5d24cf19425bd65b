package bench

import (
	"cmp"
	"context"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// Incremental is the experiment of the paper's Tables 2 to 9: a broad learning system is trained on the
// first samples, updated by batches of further ones, by several methods side by side, and tested after
// each step. All methods see the same features.
type Incremental struct {
	Train   *dataset.Images
	Test    *dataset.Images // nil for none; accuracies are NaN then
	Initial int             // l, samples of the start
	Batch   int             // q, samples of an update
	Updates int             // number of updates
	// Whitening fits a ZCA to the first samples and sends all through it; nil leaves them as they
	// are.
	Whitening *dataset.ZCAOptions
	Features  bls.FeatureOptions
	Variants  []Variant
	// Update has the options of the updates, except those of the variants. Its Backend also
	// computes the test, and the features if they have none.
	Update  blsupdate.Options
	Check   bool // compare the weights with a solution from scratch: slow, 8kl bytes
	Retrain bool // time solutions from scratch after each update: 8kl bytes
}

// A Row is the outcome of one step by one method.
type Row struct {
	Method   string  `json:"method"`
	Variant  string  `json:"variant"`  // the method with its choices: Variant.String
	Samples  int     `json:"samples"`  // l so far
	Accuracy float64 `json:"accuracy"` // on the test set, percent; NaN, which JSON does not have, without one
	// UpdateSeconds is the time of this step: the features of the batch, which all methods share
	// and which take FeatureSeconds, the update and the new W. In the start, variants that start in
	// the same way have the mean of their times. TotalSeconds adds up the steps.
	UpdateSeconds    float64 `json:"update_seconds"`
	TotalSeconds     float64 `json:"total_seconds"`
	FeatureSeconds   float64 `json:"feature_seconds"`
	WhiteningSeconds float64 `json:"whitening_seconds,omitempty"` // in no other time
	FeatureFlops     float64 `json:"feature_flops"`               // of the products, without tanh
	FlopsModel       float64 `json:"flops_model"`
	FlopsCounted     float64 `json:"flops_counted"`
	// Steps are those of the update and of the new W; what is between them is not in their times.
	Steps []StepTime `json:"steps,omitempty"`
	// FlopsAbandoned are those of a start that was tried first. They are in neither of the above.
	FlopsAbandoned float64     `json:"flops_abandoned,omitempty"`
	Form           string      `json:"form,omitempty"` // of B, if C = 0
	Check          *Check      `json:"check,omitempty"`
	Retraining     *Retraining `json:"retraining,omitempty"` // the same in all rows of a step
}

// A StepTime is a step of an update, with what the backend was asked for.
type StepTime struct {
	Step    string  `json:"step"` // of blsupdate
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"`
}

// Nodes returns k, the number of nodes.
func (e *Incremental) Nodes() int {
	f := e.Features
	return cmp.Or(f.Groups, bls.DefaultGroups)*cmp.Or(f.GroupNodes, bls.DefaultGroupNodes) + f.EnhancementNodes
}

// Run runs the experiment and calls emit with the rows of every step, one for each method in the order
// of e.Variants. progress may be nil. Both run on the calling goroutine. Garbage is collected before
// each part that is timed, so that none pays for another's.
//
//	errors: that of Validate; the context's, before the next update; emit's.
func (e *Incremental) Run(ctx context.Context, emit func([]Row) error, progress Progress) error {
	if err := e.Validate(); err != nil {
		return err
	}
	if err := e.checkMemory(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	r := &incrementalRun{
		Incremental: e, progress: progress, all: e.flops(), seconds: make([]float64, len(e.Variants)),
		updaters: make([]blsupdate.Updater, len(e.Variants)), weights: make([]*mat.Dense, len(e.Variants)),
		counter: blsupdate.NewCounter(e.Update.Backend),
	}
	if e.Features.Backend != nil {
		r.counter = blsupdate.NewCounter(e.Features.Backend)
	}
	for step := range e.Updates + 1 {
		rows, err := r.step(ctx, step)
		if err != nil {
			return err
		}
		if err := emit(rows); err != nil {
			return err
		}
	}
	r.progress(r.all, r.all, "finished")
	return nil
}
