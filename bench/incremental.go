package bench

import (
	"cmp"
	"context"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// Incremental is the experiment of the paper's Tables 2 to 9. A broad learning system is trained on the
// first samples, updated with batches of further samples, and tested after each step. Several methods
// run side by side, on the same features.
type Incremental struct {
	Train    *dataset.Images
	Test     *dataset.Images // nil for none; accuracies are then nil
	Initial  int             // l, the number of first samples
	Batch    int             // q, the number of samples in an update
	Updates  int             // number of updates
	Features bls.FeatureOptions
	Variants []Variant
	// Whitening is WhitenReference, WhitenUnit or empty for none. It is fitted to the first
	// samples, untimed, and whitens all samples.
	Whitening string
	// Update has the options of updates, except those that a Variant sets. Its Backend also
	// computes the test scores and the whitening, and the features if Features.Backend is nil.
	Update  blsupdate.Options
	Retrain bool // also time solutions from scratch after each update; recomputes the features (8kl bytes)
}

// Progress receives the share of the work done, and the name of the part that begins. The work of a
// step is the number of samples so far, counted once for each variant and twice for retraining. The
// share never falls, and is 1 in the last call.
type Progress func(share float64, doing string)

// Nodes returns k, the number of nodes.
func (e *Incremental) Nodes() int {
	f := e.Features
	return cmp.Or(f.Groups, bls.DefaultGroups)*cmp.Or(f.GroupNodes, bls.DefaultGroupNodes) + f.EnhancementNodes
}

// Run runs the experiment and calls emit with the row of every step. A row has a cell for each variant,
// in the order of e.Variants, and its Table is 0. progress may be nil. Both functions run on the
// calling goroutine. Garbage is collected before each timed part, so no part pays for the garbage of
// another.
//
//	errors: the errors of Validate; a *blsupdate.MemoryError; the error of ctx, a step or emit.
func (e *Incremental) Run(ctx context.Context, emit func(TableRow) error, progress Progress) error {
	if err := e.Validate(); err != nil {
		return err
	}
	if err := e.checkMemory(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, string) {}
	}
	r := &incrementalRun{
		Incremental: e, progress: progress, seconds: make([]float64, len(e.Variants)), peak: blsupdate.Peak(),
		updaters: make([]blsupdate.Updater, len(e.Variants)), weights: make([]*mat.Dense, len(e.Variants)),
		counter: blsupdate.NewCounter(cmp.Or(e.Features.Backend, e.Update.Backend)),
	}
	for step := range e.Updates + 1 {
		_, to := e.samples(step)
		r.all += float64(to * len(e.Variants))
		if e.Retrain && step > 0 {
			r.all += float64(2 * to)
		}
	}
	for step := range e.Updates + 1 {
		row, err := r.step(ctx, step)
		if err != nil {
			return err
		}
		if err := emit(row); err != nil {
			return err
		}
	}
	r.tell("finished")
	return nil
}
