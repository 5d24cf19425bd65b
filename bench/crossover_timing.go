package bench

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// update measures an update by q rows with the weights after it, and sees to it that the next one finds
// a model of L rows.
func (r *crossoverRun) update(v Variant, q int) (CrossoverTiming, error) {
	model := r.models[v]
	if model == nil {
		a, y := r.rows(0, r.L)
		var err error
		if model, err = blsupdate.New(v.Method, a, y, r.options(v)); err != nil {
			return CrossoverTiming{}, fmt.Errorf("%v: %w", v, err)
		}
	}
	delete(r.models, v) // until it is what it was
	ax, ya := r.rows(r.L, r.L+q)
	t, err := timedUpdate(model, ax, ya)
	if err != nil {
		return CrossoverTiming{}, fmt.Errorf("%v: %w", v, err)
	}
	if r.removes(v, q) && model.RemoveInputs(ax, ya) == nil {
		r.models[v] = model
	}
	return t, nil
}

// removes tells whether the removal of q rows takes fewer flops than a new start from L.
func (r *crossoverRun) removes(v Variant, q int) bool {
	removal := blsupdate.Model(v.Method, blsupdate.ActionRemove, r.options(v), blsupdate.Shape{L: r.L + q, K: r.K, Q: q, C: r.C})
	start := blsupdate.Model(v.Method, blsupdate.ActionStart, r.options(v), blsupdate.Shape{L: r.L, K: r.K, C: r.C})
	return blsupdate.Supports(v.Method, blsupdate.ActionRemove) && blsupdate.Total(removal) < blsupdate.Total(start)
}

// retrainPseudoinverse measures A⁺ and W from scratch of all L+q rows, as the tables do.
func (r *crossoverRun) retrainPseudoinverse(q int) (CrossoverTiming, error) {
	a, y := r.rows(0, r.L+q)
	t, err := timePseudoinverse(a, y, blsupdate.Options{Lambda: r.Lambda, Backend: r.Backend})
	if err != nil {
		return CrossoverTiming{}, fmt.Errorf("pseudoinverse from scratch: %w", err)
	}
	return CrossoverTiming{Method: blsupdate.Improved.String(), By: t.by, Seconds: t.seconds, Flops: t.flops}, nil
}

// retrainWeights measures W alone from scratch of all L+q rows.
func (r *crossoverRun) retrainWeights(q int) (CrossoverTiming, error) {
	a, y := r.rows(0, r.L+q)
	t, err := timeStart(blsupdate.Gram, a, y, blsupdate.Options{Lambda: r.Lambda, Backend: r.Backend})
	if err != nil {
		return CrossoverTiming{}, fmt.Errorf("weights from scratch: %w", err)
	}
	return CrossoverTiming{Method: blsupdate.Gram.String(), Seconds: t.seconds, Flops: t.flops}, nil
}

// rows returns rows from to to-1 of A and Y.
func (r *crossoverRun) rows(from, to int) (a, y *mat.Dense) {
	return r.a.Slice(from, to, 0, r.K).(*mat.Dense), r.y.Slice(from, to, 0, r.C).(*mat.Dense)
}

// timedUpdate returns the time of an update and of the weights after it, with the flops by the model.
func timedUpdate(model blsupdate.Updater, ax, ya *mat.Dense) (CrossoverTiming, error) {
	runtime.GC()
	began := time.Now()
	err := model.AddInputs(ax, ya)
	if err == nil {
		_, err = model.Weights()
	}
	seconds := time.Since(began).Seconds()
	if err != nil {
		return CrossoverTiming{}, err
	}
	report := model.Report()
	t := CrossoverTiming{Method: model.Method().String(), Seconds: seconds, Flops: report.Model()}
	if report.Form != blsupdate.Auto {
		t.Form = report.Form.String()
	}
	return t, nil
}

// medianTiming returns the first of the timings, which are of the same thing, with the median of their
// times.
func medianTiming(timings []CrossoverTiming) CrossoverTiming {
	var seconds []float64
	for _, t := range timings {
		seconds = append(seconds, t.Seconds)
	}
	slices.Sort(seconds)
	t := timings[0]
	t.Seconds = quantile(seconds, 0.5)
	return t
}
