package learn

import (
	"fmt"

	"blskernel/bls/metrics"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// An errorScore collects the errors of a regression.
type errorScore struct {
	names   []string
	targets []metrics.Errors
	rows    int64
}

func newErrorScore(names []string) *errorScore {
	return &errorScore{names: names, targets: make([]metrics.Errors, len(names))}
}

func (e *errorScore) add(_ *model, b *stream.Batch, scores *mat.Dense) error {
	l, c := b.Y.Dims()
	if c != len(e.targets) {
		return ui.Usagef("the data has %s and the model %d: name their columns by --target", ui.Count(c, "target"), len(e.targets))
	}
	for i := range l {
		e.rows++
		known := b.Y.RawRowView(i)
		for j, p := range scores.RawRowView(i) {
			e.targets[j].Add(known[j], p, 1)
		}
	}
	return nil
}

// targetQuality is the quality of a target as JSON. A number that overflows is null.
type targetQuality struct {
	Name string   `json:"name"`
	RMSE *float64 `json:"rmse"`
	MAE  *float64 `json:"mae"`
	R2   *float64 `json:"r2"` // null also for a target that is constant
}

// Regression is the result of evaluate as JSON.
type Regression struct {
	Kind    string          `json:"kind"`
	Rows    int64           `json:"rows"`
	Targets []targetQuality `json:"targets"`
}

func (e *errorScore) result() quality {
	q := &Regression{Kind: regression, Rows: e.rows}
	for i := range e.targets {
		t := &e.targets[i]
		q.Targets = append(q.Targets, targetQuality{e.names[i], known(t.RMSE()), known(t.MAE()), known(t.R2())})
	}
	return q
}

// String returns the result as a table of the targets.
func (q *Regression) String() string { return fmt.Sprintf("rows  %d\n\n%s", q.Rows, q.lines()) }

// lines returns the table of the targets.
func (q *Regression) lines() string {
	number := func(format string, v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf(format, *v)
	}
	cells := [][]string{{"target", "RMSE", "MAE", "R2"}}
	for _, t := range q.Targets {
		cells = append(cells, []string{ui.Printable(t.Name), number("%.6g", t.RMSE), number("%.6g", t.MAE), number("%.6f", t.R2)})
	}
	return ui.Aligned(cells)
}
