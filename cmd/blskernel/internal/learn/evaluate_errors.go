package learn

import (
	"fmt"
	"math"
	"strings"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// regressionErrors sums up the errors of a regression.
type regressionErrors struct {
	targets []targetErrors
	rows    int64
}

// targetErrors has the sums for a target. Welford's recurrence gives the sum of squares about the mean:
// it does not cancel if the mean is large against the deviations.
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

func (e *regressionErrors) add(_ *model, b *stream.Batch, scores *mat.Dense) error {
	l, c := b.Y.Dims()
	if c != len(e.targets) {
		return ui.Usagef("the data has %s and the model %d: name their columns by --target", ui.Count(c, "target"), len(e.targets))
	}
	for i := range l {
		e.rows++
		known := b.Y.RawRowView(i)
		for j, p := range scores.RawRowView(i) {
			e.targets[j].add(known[j], p, e.rows)
		}
	}
	return nil
}

// add sums up the n-th row, from 1.
func (t *targetErrors) add(known, predicted float64, n int64) {
	d := predicted - known
	t.squares += float64(d * d)
	t.absolute += math.Abs(d)
	before := known - t.mean
	t.mean += before / float64(n)
	t.about += float64(before * (known - t.mean))
}

// targetQuality is the quality of a target as JSON.
type targetQuality struct {
	Name string   `json:"name"`
	RMSE float64  `json:"rmse"`
	MAE  float64  `json:"mae"`
	R2   *float64 `json:"r2"` // null for a target that is constant
}

// Regression is the result of evaluate as JSON.
type Regression struct {
	Kind    string          `json:"kind"`
	Rows    int64           `json:"rows"`
	Targets []targetQuality `json:"targets"`
}

func (e *regressionErrors) result() fmt.Stringer {
	q := Regression{Kind: regression, Rows: e.rows}
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

// String returns the result as a table of the targets.
func (q Regression) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rows  %d\n\n", q.Rows)
	cells := [][]string{{"target", "RMSE", "MAE", "R2"}}
	for _, t := range q.Targets {
		r2 := "-"
		if t.R2 != nil {
			r2 = fmt.Sprintf("%.6f", *t.R2)
		}
		cells = append(cells, []string{ui.Printable(t.Name), fmt.Sprintf("%.6g", t.RMSE), fmt.Sprintf("%.6g", t.MAE), r2})
	}
	b.WriteString(ui.Aligned(cells))
	return b.String()
}
