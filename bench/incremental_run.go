package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"blskernel/bls"
	"blskernel/bls/metrics"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

type incrementalRun struct {
	*Incremental
	progress  Progress
	done, all float64 // work so far and in total

	whitening *whitening // nil for none
	features  *bls.Features
	counter   *blsupdate.Counter // backend of the features, which counts their flops
	testA     *mat.Dense
	testY     []int
	updaters  []blsupdate.Updater
	weights   []*mat.Dense // after the last step, by variant
	seconds   []float64    // so far, by variant
	peak      float64      // the FMA peak after the last step
}

func (r *incrementalRun) tell(doing string) {
	r.progress(r.done/r.all, doing)
}

func (e *Incremental) samples(step int) (from, to int) {
	if step == 0 {
		return 0, e.Initial
	}
	to = e.Initial + step*e.Batch
	return to - e.Batch, to
}

// step trains on the first samples in step 0, or adds the samples of a later step. row is the result.
func (r *incrementalRun) step(ctx context.Context, step int) (row TableRow, err error) {
	if err := ctx.Err(); err != nil {
		return row, err
	}
	from, to := r.samples(step)
	if step == 0 && r.Whitening != "" {
		r.tell("whitening")
		constants := whitenings[r.Whitening]
		if r.whitening, err = newWhitening(r.Update.Backend, r.Train.Dense(from, to), constants[0], constants[1]); err != nil {
			return row, err
		}
	}
	runtime.GC()
	r.counter.Reset()
	began := time.Now()
	a, y, err := r.expand(from, to)
	if err != nil {
		return row, err
	}
	row = TableRow{
		Seed: r.Features.Seed, Step: step, Samples: to, Cells: make([]TableCell, len(r.Variants)),
		FeatureSeconds: time.Since(began).Seconds(), FeatureFlops: r.counter.Flops(),
	}
	// Each step begins with a different variant, so that no variant always inherits the caches,
	// memory and clock rate of the same predecessor.
	for n := range r.Variants {
		i := (step + n) % len(r.Variants)
		if err := ctx.Err(); err != nil {
			return row, err
		}
		r.tell(fmt.Sprintf("%v, samples %d to %d", r.Variants[i], from+1, to))
		seconds, err := r.change(i, step == 0, step == 0 && n == 0, a, y)
		if err != nil {
			return row, fmt.Errorf("%v, samples %d to %d: %w", r.Variants[i], from+1, to, err)
		}
		r.seconds[i] += row.FeatureSeconds + seconds
		row.Cells[i] = r.account(i)
		r.done += float64(to)
		row.Cells[i].Seconds, row.Cells[i].TotalSeconds = row.FeatureSeconds+seconds, r.seconds[i]
	}
	before := r.peak
	r.peak = blsupdate.Peak()
	row.Peak = (before + r.peak) / 2
	if r.Retrain && step > 0 {
		if row.Retraining, err = r.retrain(ctx, to); err != nil {
			return row, err
		}
	}
	r.tell("test accuracy")
	return row, r.test(row.Cells)
}

// change starts variant i with rows a and targets y if start is true, and otherwise adds them. It
// returns the seconds for the change and for the weights. If warm is true, an untimed start comes
// first, to allocate memory and start threads.
func (r *incrementalRun) change(i int, start, warm bool, a, y *mat.Dense) (seconds float64, err error) {
	v := r.Variants[i]
	opt := v.options(r.Update)
	if warm {
		if _, err := blsupdate.New(v.Method, a, y, opt); err != nil {
			return 0, err
		}
	}
	r.updaters[i], r.weights[i], seconds, err = timed(func() (blsupdate.Updater, error) {
		if start {
			return blsupdate.New(v.Method, a, y, opt)
		}
		return r.updaters[i], r.updaters[i].AddInputs(a, y)
	})
	return seconds, err
}

// timed returns the model from change, its weights, and the seconds for both.
func timed(change func() (blsupdate.Updater, error)) (u blsupdate.Updater, w *mat.Dense, seconds float64, err error) {
	runtime.GC() // frees the previous model, which may be as large
	began := time.Now()
	if u, err = change(); err == nil {
		w, err = u.Weights()
	}
	return u, w, time.Since(began).Seconds(), err
}

func (r *incrementalRun) account(i int) TableCell {
	v, report := r.Variants[i], r.updaters[i].Report()
	cell := TableCell{Method: v.String(), FlopsModel: report.Model(), FlopsCounted: report.Counted()}
	for _, s := range report.Steps {
		cell.Steps = append(cell.Steps, StepTime{string(s.Step), s.Elapsed.Seconds(), s.Counted})
	}
	if report.Form != blsupdate.Auto {
		cell.Form = report.Form.String()
	}
	return cell
}

// expand returns the rows of A and of the targets Y for the samples [from, to). The first call fits the
// feature maps.
func (r *incrementalRun) expand(from, to int) (a, y *mat.Dense, err error) {
	x := r.samplesOf(r.Train, from, to)
	if r.features != nil {
		a, err = r.features.Transform(x)
	} else {
		r.tell("feature maps")
		opt := r.Features
		opt.Backend = r.counter
		r.features, a, err = bls.FitTransformFeatures(x, opt)
	}
	if err == nil {
		y, err = bls.OneHot(r.Train.LabelsInt(from, to), r.Train.Classes)
	}
	return a, y, err
}

func (r *incrementalRun) samplesOf(set *dataset.Images, from, to int) *mat.Dense {
	x := set.Dense(from, to)
	if r.whitening != nil {
		r.whitening.transform(x)
	}
	return x
}

// test sets the accuracies in cells, and the relative distances from the first variant's weights.
func (r *incrementalRun) test(cells []TableCell) (err error) {
	if r.Test != nil && r.testA == nil {
		if r.testA, err = r.features.Transform(r.samplesOf(r.Test, 0, r.Test.Len())); err != nil {
			return err
		}
		r.testY = r.Test.LabelsInt(0, r.Test.Len())
	}
	for i, w := range r.weights {
		if r.Test != nil {
			var scores mat.Dense
			mat.Mul(r.Update.Backend, &scores, r.testA, w)
			accuracy := 100 * metrics.Accuracy(r.testY, bls.ArgMax(&scores), nil)
			cells[i].Accuracy = &accuracy
		}
		if i > 0 {
			var diff mat.Dense
			diff.Sub(w, r.weights[0])
			cells[i].Difference = diff.Norm(2) / r.weights[0].Norm(2)
		}
	}
	return nil
}

// retrain times solutions from scratch for the first l rows: A⁺ and W, and W alone.
func (r *incrementalRun) retrain(ctx context.Context, l int) (*Retraining, error) {
	a, y, err := r.expand(0, l)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	again := new(Retraining)
	what := "A⁺ from scratch"
	r.tell(what)
	again.PseudoinverseBy, again.PseudoinverseSeconds, again.PseudoinverseFlops, err = timePseudoinverse(a, y, r.Update)
	if err != nil {
		return nil, fmt.Errorf("%s, %d samples: %w", what, l, err)
	}
	r.done += float64(l)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	what = "W from scratch"
	r.tell(what)
	_, again.WeightsSeconds, again.WeightsFlops, err = timeStart(blsupdate.Gram, a, y, r.Update)
	if err != nil {
		return nil, fmt.Errorf("%s, %d samples: %w", what, l, err)
	}
	r.done += float64(l)
	return again, nil
}
