package main

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// regressionErrors sums up the errors of a regression.
type regressionErrors struct {
	targets []targetErrors
	rows    int64
}

// targetErrors is what is summed up for a target. The sum of squares about the mean is that of
// Welford's recurrence, which does not lose it to a mean that is large against the deviations.
type targetErrors struct {
	name              string
	squares, absolute float64 // sums over the errors
	mean, about       float64 // of the target, and the sum of squares about it
}

func newErrors(names []string) *regressionErrors {
	e := &regressionErrors{}
	for _, name := range names {
		e.targets = append(e.targets, targetErrors{name: name})
	}
	return e
}

func (e *regressionErrors) add(ctx context.Context, model *learner, f fetched) error {
	if f.batch.Y == nil {
		return errNoTargets
	}
	l, c := f.batch.Y.Dims()
	if c != len(e.targets) {
		return usageError{fmt.Errorf("the data has %s and the model %d: name their columns by --target", counted(c, "target"), len(e.targets))}
	}
	predicted, err := model.scores(ctx, f.batch)
	if err != nil {
		return explainLearning(err)
	}
	for i := range l {
		e.rows++
		known := f.batch.Y.RawRowView(i)
		for j, p := range predicted.RawRowView(i) {
			e.targets[j].add(known[j], p, e.rows)
		}
	}
	return nil
}

// add sums up the n-th row, from 1.
func (t *targetErrors) add(known, predicted float64, n int64) {
	d := predicted - known
	t.squares += d * d
	t.absolute += math.Abs(d)
	before := known - t.mean
	t.mean += before / float64(n)
	t.about += before * (known - t.mean)
}

// targetQuality is how well a target was predicted, as JSON.
type targetQuality struct {
	Name string   `json:"name"`
	RMSE float64  `json:"rmse"`
	MAE  float64  `json:"mae"`
	R2   *float64 `json:"r2"` // null for a target that is constant
}

// regressionQuality is the result as JSON.
type regressionQuality struct {
	Kind    string          `json:"kind"`
	Rows    int64           `json:"rows"`
	Targets []targetQuality `json:"targets"`
}

func (e *regressionErrors) quality() regressionQuality {
	q := regressionQuality{Kind: regression, Rows: e.rows}
	for _, t := range e.targets {
		n := float64(e.rows)
		target := targetQuality{Name: t.name, RMSE: math.Sqrt(t.squares / n), MAE: t.absolute / n}
		if t.about > 0 {
			r2 := 1 - t.squares/t.about
			target.R2 = &r2
		}
		q.Targets = append(q.Targets, target)
	}
	return q
}

func (e *regressionErrors) object() any { return e.quality() }

func (e *regressionErrors) text() string {
	q := e.quality()
	var b strings.Builder
	fmt.Fprintf(&b, "rows  %d\n\n", q.Rows)
	cells := [][]string{{"target", "RMSE", "MAE", "R2"}}
	for _, t := range q.Targets {
		r2 := "-"
		if t.R2 != nil {
			r2 = fmt.Sprintf("%.6f", *t.R2)
		}
		cells = append(cells, []string{printable(t.Name), fmt.Sprintf("%.6g", t.RMSE), fmt.Sprintf("%.6g", t.MAE), r2})
	}
	b.WriteString(aligned(cells))
	return b.String()
}
