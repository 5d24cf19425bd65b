package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// incrementalRun is an experiment under way.
type incrementalRun struct {
	*Incremental
	progress  Progress
	done, all float64 // flops so far, and of the experiment

	zca       *dataset.ZCA // nil without whitening
	features  *bls.Features
	counter   *blsupdate.Counter // backend of the features
	testA     *mat.Dense
	testY     []int
	updaters  []blsupdate.Updater
	weights   []*mat.Dense // after the last step, by variant
	seconds   []float64    // so far, by variant
	whitening float64      // seconds in which zca was fitted, in the start
	check     checker
	// The rows of A and Y so far, for the check and for retraining, in storage for all of them.
	allA, allY *mat.Dense
	rows       int
}

// tell reports the progress.
func (r *incrementalRun) tell(doing string) {
	r.progress(min(r.done, r.all), r.all, doing)
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
	r.counter.Reset()
	began := time.Now()
	a, err := r.expand(from, to)
	if err != nil {
		return nil, err
	}
	y, err := bls.OneHot(r.Train.LabelsInt(from, to), r.Train.Classes)
	if err != nil {
		return nil, err
	}
	featureSeconds, featureFlops := time.Since(began).Seconds()-r.whitening, r.counter.Flops()
	r.keep(a, y)

	rows := make([]Row, len(r.Variants))
	seconds := make([]float64, len(r.Variants)) // without the features
	// Each step begins with another variant, so that none always finds the caches, the memory and
	// the clock of the machine as the same one left them.
	for n := range r.Variants {
		i := (step + n) % len(r.Variants)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.tell(fmt.Sprintf("%v, samples %d to %d", r.Variants[i], from+1, to))
		if seconds[i], err = r.change(i, step == 0, step == 0 && n == 0, a, y); err != nil {
			return nil, fmt.Errorf("%v, samples %d to %d: %w", r.Variants[i], from+1, to, err)
		}
		rows[i] = r.account(i, step)
		rows[i].Samples, rows[i].FeatureSeconds, rows[i].FeatureFlops = to, featureSeconds, featureFlops
		rows[i].WhiteningSeconds = r.whitening
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
	return rows, r.test(rows)
}

// change starts or updates the i-th variant, computes the weights, and returns the time of both. With
// warm it starts twice: the first start of a process pays for fresh memory and for threads.
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

// account returns the row of the i-th variant's last change, and counts the change as done.
func (r *incrementalRun) account(i, step int) Row {
	v, report := r.Variants[i], r.updaters[i].Report()
	r.done += r.planned(v, step)
	row := Row{
		Method: v.Method.String(), Variant: v.String(),
		FlopsModel: report.Model(), FlopsCounted: report.Counted(), FlopsAbandoned: report.Abandoned,
	}
	for _, s := range report.Steps {
		row.Steps = append(row.Steps, StepTime{string(s.Step), s.Elapsed.Seconds(), s.Counted})
	}
	if report.Form != blsupdate.Auto {
		row.Form = report.Form.String()
	}
	return row
}

// shareStarts gives variants that started in the same way the mean of their times: their differences
// are noise, and would be in every comparison of total times. The form of an update makes no difference
// to a start, and Original and Improved have the same one.
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
			a, b := rows[i], rows[j]
			if method(i) == method(j) && a.FlopsModel == b.FlopsModel && a.FlopsAbandoned == b.FlopsAbandoned {
				sum += measured[j]
				n++
			}
		}
		seconds[i] = sum / float64(n)
	}
}

// expand returns the rows of A for the given samples. Its first call fits the feature maps to them.
func (r *incrementalRun) expand(from, to int) (a *mat.Dense, err error) {
	x := r.Train.Dense(from, to)
	if r.features != nil {
		return r.transform(x)
	}
	if r.Whitening != nil {
		r.tell("whitening")
		began := time.Now()
		if r.zca, err = dataset.FitZCA(x, *r.Whitening); err != nil {
			return nil, err
		}
		r.whitening = time.Since(began).Seconds()
		if err := r.zca.Transform(x); err != nil {
			return nil, err
		}
	}
	r.tell("feature maps")
	opt := r.Features
	opt.Backend = r.counter
	r.features, a, err = bls.FitTransformFeatures(x, opt)
	return a, err
}

// transform returns the rows of A for the samples x, which it may overwrite.
func (r *incrementalRun) transform(x *mat.Dense) (*mat.Dense, error) {
	if r.zca != nil {
		if err := r.zca.Transform(x); err != nil {
			return nil, err
		}
	}
	return r.features.Transform(x)
}

// test fills in the accuracies and, where it is wanted, the check.
func (r *incrementalRun) test(rows []Row) error {
	if r.Test != nil && r.testA == nil {
		var err error
		if r.testA, err = r.transform(r.Test.Dense(0, r.Test.Len())); err != nil {
			return err
		}
		r.testY = r.Test.LabelsInt(0, r.Test.Len())
	}
	for i, w := range r.weights {
		rows[i].Accuracy = math.NaN()
		if r.Test != nil {
			var scores mat.Dense
			mat.Mul(r.Update.Backend, &scores, r.testA, w)
			rows[i].Accuracy = bls.Accuracy(bls.ArgMax(&scores), r.testY)
		}
	}
	if r.Check {
		r.tell("solution from scratch")
		a, y := head(r.allA, r.rows), head(r.allY, r.rows)
		return r.check.compare(r.Variants, rows, r.weights, a, y, r.Update)
	}
	return nil
}

// keep adds rows to those for the check and for retraining.
func (r *incrementalRun) keep(a, y *mat.Dense) {
	if !r.Check && !r.Retrain {
		return
	}
	q, k := a.Dims()
	_, c := y.Dims()
	if r.allA == nil {
		all := r.Initial + r.Updates*r.Batch
		r.allA, r.allY = mat.NewDense(all, k, nil), mat.NewDense(all, c, nil)
	}
	r.allA.Slice(r.rows, r.rows+q, 0, k).(*mat.Dense).Copy(a)
	r.allY.Slice(r.rows, r.rows+q, 0, c).(*mat.Dense).Copy(y)
	r.rows += q
}

// retrain measures solutions from scratch of all rows so far: of A⁺ and W, and of W alone.
func (r *incrementalRun) retrain(ctx context.Context) (*Retraining, error) {
	a, y := head(r.allA, r.rows), head(r.allY, r.rows)
	var took [2]scratch
	for i, solution := range []struct {
		what   string
		method blsupdate.Method // that takes as many flops
		time   func(m blsupdate.Method, a, y *mat.Dense, opt blsupdate.Options) (scratch, error)
	}{
		{"A⁺ from scratch", blsupdate.Improved, timePseudoinverse},
		{"W from scratch", blsupdate.Gram, timeStart},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.tell(solution.what)
		var err error
		if took[i], err = solution.time(solution.method, a, y, r.Update); err != nil {
			return nil, fmt.Errorf("%s, %d samples: %w", solution.what, r.rows, err)
		}
		r.done += r.retraining(solution.method, r.rows)
	}
	return &Retraining{
		PseudoinverseSeconds: took[0].seconds, PseudoinverseFlops: took[0].flops,
		PseudoinverseBy: took[0].by.String(),
		WeightsSeconds:  took[1].seconds, WeightsFlops: took[1].flops,
	}, nil
}
