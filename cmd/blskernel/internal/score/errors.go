package score

import (
	"fmt"

	"blskernel/bls/metrics"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// An errorScore compares the predictions of a regressor with the known targets.
type errorScore struct {
	names   []string
	targets []metrics.Errors
	rows    int64
	weight  float64 // of all rows
}

func (e *errorScore) add(_ *model.Model, b *stream.Batch, scores *mat.Dense, _ []float64) error {
	l, c := b.Y.Dims()
	if c != len(e.targets) {
		return ui.Usagef("the data has %s, but the model has %d: name the columns of the targets with --target", ui.Count(c, "target"), len(e.targets))
	}
	for i := range l {
		e.rows++
		e.weight += floats.Weight(b.Weights, i)
		known := b.Y.RawRowView(i)
		for j, p := range scores.RawRowView(i) {
			e.targets[j].Add(known[j], p, floats.Weight(b.Weights, i))
		}
	}
	return nil
}

// targetQuality is the quality of a target as JSON. A number that overflows is null.
type targetQuality struct {
	Name string   `json:"name"`
	RMSE *float64 `json:"rmse"`
	MAE  *float64 `json:"mae"`
	R2   *float64 `json:"r2"`           // also null for a constant target
	Mean *float64 `json:"rmse_of_mean"` // of always predicting the mean of these rows
}

// Regression is the JSON output of evaluate for regression.
type Regression struct {
	Kind    string          `json:"kind"`
	Rows    int64           `json:"rows"`
	Targets []targetQuality `json:"targets"`
	Grouping
}

func (e *errorScore) Quality() (Quality, error) {
	if e.weight == 0 {
		return nil, errWeightless
	}
	q := &Regression{Kind: model.Regression, Rows: e.rows}
	for i := range e.targets {
		t := &e.targets[i]
		q.Targets = append(q.Targets, targetQuality{e.names[i], known(t.RMSE()), known(t.MAE()), known(t.R2()), known(t.Deviation())})
	}
	return q, nil
}

func numeric(format string, v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// String returns the measures of each target as a table, followed by the groups.
func (q *Regression) String() string {
	cells := [][]string{{"target", "RMSE", "RMSE of the mean", "MAE", "R2"}}
	for _, t := range q.Targets {
		cells = append(cells, []string{ui.Printable(t.Name), numeric("%.6g", t.RMSE), numeric("%.6g", t.Mean), numeric("%.6g", t.MAE), numeric("%.6f", t.R2)})
	}
	return fmt.Sprintf("rows  %d\n\n%s%s", q.Rows, ui.Aligned(cells), q.Grouping.lines())
}

// maxTargets is the largest number of targets that Brief shows.
const maxTargets = 5

func (q *Regression) Brief() string {
	text := ui.Count(q.Rows, "row")
	for i, t := range q.Targets {
		if i == maxTargets {
			return fmt.Sprintf("%s, and %s", text, ui.Count(len(q.Targets)-i, "more target"))
		}
		text += fmt.Sprintf(", %s: RMSE %s, MAE %s, R2 %s", ui.Printable(t.Name), numeric("%.6g", t.RMSE), numeric("%.6g", t.MAE), numeric("%.4f", t.R2))
	}
	return text
}
