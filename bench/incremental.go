package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

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
		Incremental: e, progress: progress, plan: e.plan(),
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
	r.tell("finished")
	return nil
}

// incrementalRun is an experiment under way.
type incrementalRun struct {
	*Incremental
	progress Progress
	done     float64   // flops so far
	plan     []float64 // flops of what is to come, by step and variant

	zca       *dataset.ZCA // nil without whitening
	features  *bls.Features
	testA     *mat.Dense
	testY     []int
	updaters  []blsupdate.Updater
	weights   []*mat.Dense // after the last step, by variant
	seconds   []float64    // so far, by variant
	whitening float64      // seconds in which zca was fitted, in the start
	check     checker
	kept      retained
}

// tell reports the progress.
func (r *incrementalRun) tell(doing string) {
	total := r.done
	for _, flops := range r.plan {
		total += flops
	}
	r.progress(r.done, total, doing)
}

// samples returns the range of samples of a step.
func (e *Incremental) samples(step int) (from, to int) {
	if step == 0 {
		return 0, e.Initial
	}
	to = e.Initial + step*e.Batch
	return to - e.Batch, to
}

// step takes the next samples, the first ones in step 0, and returns a row for each variant.
func (r *incrementalRun) step(ctx context.Context, step int) ([]Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, to := r.samples(step)
	runtime.GC()
	r.whitening = 0
	began := time.Now()
	a, err := r.expand(from, to)
	if err != nil {
		return nil, err
	}
	y, err := bls.OneHot(r.Train.LabelsInt(from, to), r.Train.Classes)
	if err != nil {
		return nil, err
	}
	featureSeconds := time.Since(began).Seconds() - r.whitening
	r.keep(a, y)

	rows := make([]Row, len(r.Variants))
	seconds := make([]float64, len(r.Variants)) // without the features
	for n, i := range r.order(step) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.tell(fmt.Sprintf("%v, samples %d to %d", r.Variants[i], from+1, to))
		if seconds[i], err = r.change(i, step == 0, step == 0 && n == 0, a, y); err != nil {
			return nil, fmt.Errorf("%v, samples %d to %d: %w", r.Variants[i], from+1, to, err)
		}
		rows[i] = r.account(i, step)
		rows[i].Samples, rows[i].FeatureSeconds, rows[i].WhiteningSeconds = to, featureSeconds, r.whitening
	}
	if step == 0 {
		r.shareStarts(rows, seconds)
	}
	for i := range rows {
		rows[i].UpdateSeconds = featureSeconds + seconds[i]
		r.seconds[i] += rows[i].UpdateSeconds
		rows[i].TotalSeconds = r.seconds[i]
	}
	if r.Retrain && step > 0 {
		retraining, err := r.retrain(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Retraining = retraining
		}
	}
	r.tell("test accuracy")
	return rows, r.test(rows, a, y)
}

// order returns the indices of the variants in the order in which a step takes them. Each step begins
// with another one, so that none always finds what the same one left, of the caches, of the memory and
// of the clock of the machine.
func (e *Incremental) order(step int) []int {
	n := len(e.Variants)
	order := make([]int, n)
	for j := range order {
		order[j] = (step + j) % n
	}
	return order
}

// change starts or updates the i-th variant, asks for the weights, and returns the time of both. With
// warm a start that is dropped comes first: the first start of a process pays for fresh memory and for
// threads.
func (r *incrementalRun) change(i int, start, warm bool, a, y *mat.Dense) (seconds float64, err error) {
	v := r.Variants[i]
	opt := v.options(r.Update)
	if warm {
		if _, err := blsupdate.New(v.Method, a, y, opt); err != nil {
			return 0, err
		}
	}
	runtime.GC() // of the variant before, and of the rows before
	began := time.Now()
	if start {
		r.updaters[i], err = blsupdate.New(v.Method, a, y, opt)
	} else {
		err = r.updaters[i].AddInputs(a, y)
	}
	if err == nil {
		r.weights[i], err = r.updaters[i].Weights()
	}
	return time.Since(began).Seconds(), err
}

// account returns what the i-th variant says of its last change, and takes that off the plan.
func (r *incrementalRun) account(i, step int) Row {
	v, report := r.Variants[i], r.updaters[i].Report()
	r.did(report.Model())
	row := Row{
		Method: v.Method.String(), Variant: v.String(),
		FlopsModel: report.Model(), FlopsCounted: report.Counted(), FlopsAbandoned: report.Abandoned,
	}
	if report.Form != blsupdate.Auto {
		row.Form = report.Form.String()
	}
	if r.Rates != nil && step > 0 {
		for _, s := range report.Steps {
			row.PredictedSeconds += r.Rates.Seconds(s.StepFlops)
		}
	}
	return row
}

// shareStarts gives variants that have started in the same way the mean of their times: what differs
// between these is noise, and would go into every comparison of total times. The form of an update
// makes no difference to a start, and Original and Improved have the same one.
func (r *incrementalRun) shareStarts(rows []Row, seconds []float64) {
	method := func(i int) blsupdate.Method {
		if m := r.Variants[i].Method; m != blsupdate.Original {
			return m
		}
		return blsupdate.Improved
	}
	measured := slices.Clone(seconds)
	for i := range rows {
		sum, n := 0.0, 0
		for j := range rows {
			if method(i) == method(j) && rows[i].FlopsModel == rows[j].FlopsModel && rows[i].FlopsAbandoned == rows[j].FlopsAbandoned {
				sum += measured[j]
				n++
			}
		}
		seconds[i] = sum / float64(n)
	}
}

// did takes the next part off the plan, which took so many flops.
func (r *incrementalRun) did(flops float64) {
	r.done += flops
	r.plan = r.plan[1:]
}
