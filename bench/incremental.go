package bench

import (
	"context"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// Incremental is the experiment of the paper's Tables 2 to 9: a broad learning system is trained on the
// first samples and then updated by batches of further ones, by several methods side by side, and
// tested after each step. All methods see the same features.
type Incremental struct {
	Train   *dataset.Images
	Test    *dataset.Images // nil for none; accuracies are NaN then
	Initial int             // l, samples of the start
	Batch   int             // q, samples of an update
	Updates int             // number of updates
	// Whitening sends all samples through a ZCA that is fitted to the first ones; nil leaves them
	// as they are.
	Whitening *dataset.ZCAOptions
	Features  bls.FeatureOptions
	Variants  []Variant
	// Update has the options of the updates but for those that are the variants'. Its Backend is
	// also that of the test, and of the features if they have none.
	Update blsupdate.Options
	// Check solves the problem from scratch after each step and compares the weights. It keeps
	// all features, 8kl bytes, and takes longer than the experiment itself.
	Check bool
	// Retrain measures after each update what solutions from scratch take. It keeps all features
	// too.
	Retrain bool
	// Rates predict the times of the updates; nil leaves them out.
	Rates *blsupdate.Rates
	// Resume continues an experiment that was interrupted; nil begins one.
	Resume *Resume
}

// A Resume says how far an experiment came. The states are then built anew from all samples of the
// steps that are done, which takes as long as retraining and is not in the times. For Original and
// Improved with lambda > 0 that is not quite the state that was lost: see blsupdate.Original.
type Resume struct {
	Steps        int       // that are done, with the start; at least 1
	TotalSeconds []float64 // of them, by variant
}

// A Row is the outcome of one step by one method.
type Row struct {
	Method   string  `json:"method"`
	Variant  string  `json:"variant"`  // the method with the choices that were asked for: Variant.String
	Samples  int     `json:"samples"`  // l so far
	Accuracy float64 `json:"accuracy"` // on the test set, percent; NaN, which JSON does not have, without one
	// UpdateSeconds is the time of this step: the features of the batch, which are computed once
	// for all methods and take FeatureSeconds, the update and the new W. TotalSeconds adds up the
	// steps. In the start, variants that start in the same way have the same time: the mean of what
	// their starts took.
	UpdateSeconds  float64 `json:"update_seconds"`
	TotalSeconds   float64 `json:"total_seconds"`
	FeatureSeconds float64 `json:"feature_seconds"`
	// WhiteningSeconds is the time in which the whitening was fitted, in the start; it is in no
	// other time.
	WhiteningSeconds float64 `json:"whitening_seconds,omitempty"`
	FlopsModel       float64 `json:"flops_model"`
	FlopsCounted     float64 `json:"flops_counted"`
	FlopsAbandoned   float64 `json:"flops_abandoned,omitempty"` // of a start that was tried first, in neither of these
	// PredictedSeconds is what UpdateSeconds was to be by Incremental.Rates, without the features;
	// of updates, not of the start.
	PredictedSeconds float64 `json:"predicted_seconds,omitempty"`
	Form             string  `json:"form,omitempty"` // of B; none in the start and where C is not zero
	Check            *Check  `json:"check,omitempty"`
	// Retraining is the same in all rows of a step.
	Retraining *Retraining `json:"retraining,omitempty"`
}

// Nodes returns k, the number of nodes.
func (e *Incremental) Nodes() int {
	groups, nodes := e.Features.Groups, e.Features.GroupNodes
	if groups == 0 {
		groups = bls.DefaultGroups
	}
	if nodes == 0 {
		nodes = bls.DefaultGroupNodes
	}
	return groups*nodes + e.Features.EnhancementNodes
}

// Run runs the experiment and calls emit with the rows of every step, one for each method in the order
// of e.Variants. It stops with the context's error before the next update if ctx is cancelled, with
// emit's error if it returns one, and with that of Validate before anything else. progress may be nil;
// its last call, after the last rows, has done equal to total. Both functions are called on the calling
// goroutine.
//
// Garbage is collected before each part that is timed, so that none pays for another's, and from step
// to step the variants change places: see order.
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
		Incremental: e, progress: progress, all: e.flops(),
		updaters: make([]blsupdate.Updater, len(e.Variants)), weights: make([]*mat.Dense, len(e.Variants)), seconds: make([]float64, len(e.Variants)),
	}
	first := 0
	if e.Resume != nil {
		if err := r.resume(ctx); err != nil {
			return err
		}
		first = e.Resume.Steps
	}
	for step := first; step <= e.Updates; step++ {
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
