package score

import (
	"fmt"
	"math"
	"strings"

	"blskernel/cmd/blskernel/internal/ui"
)

// Folds is the result of a cross-validation. It is also JSON output.
type Folds struct {
	Number   int       `json:"folds"`
	Measures []Measure `json:"measures"`
}

// A Measure summarizes one number of a Quality over all folds.
type Measure struct {
	Name   string     `json:"name"`
	Mean   *float64   `json:"mean"`   // null if a fold has no value
	Spread *float64   `json:"spread"` // the standard deviation over the folds
	Values []*float64 `json:"values"`
}

// String returns the means and spreads of the first 15 measures in one line.
func (f *Folds) String() string {
	const maxLines = 15 // three measures for each of five targets
	text := fmt.Sprintf("cross-validation: %d folds", f.Number)
	for i, m := range f.Measures {
		if i == maxLines {
			return text + fmt.Sprintf(", and %d more", len(f.Measures)-i)
		}
		text += fmt.Sprintf(", %s %s ± %s", ui.Printable(m.Name), numeric("%.4g", m.Mean), numeric("%.2g", m.Spread))
	}
	return text
}

// Across summarizes scores of the same kind, one for each fold. It returns an error for a nil score.
func Across(scores []Score) (*Folds, error) {
	f := &Folds{Number: len(scores)}
	for i, s := range scores {
		if s == nil {
			return nil, fmt.Errorf("fold %d of %d has no rows: lower --cv", i+1, len(scores))
		}
		q, err := s.Quality()
		if err != nil {
			return nil, err
		}
		for j, of := range q.measures() {
			if i == 0 {
				f.Measures = append(f.Measures, Measure{Name: of.name})
			}
			f.Measures[j].Values = append(f.Measures[j].Values, of.value)
		}
	}
	for j := range f.Measures {
		f.Measures[j].summarize()
	}
	return f, nil
}

// summarize computes the mean and the spread of the values, if all are known.
func (m *Measure) summarize() {
	sum, squares, n := 0.0, 0.0, float64(len(m.Values))
	for _, v := range m.Values {
		if v == nil {
			return
		}
		sum += *v
	}
	for _, v := range m.Values {
		d := *v - sum/n
		squares += float64(d * d)
	}
	m.Mean, m.Spread = known(sum/n), known(math.Sqrt(squares/(n-1)))
}

// A named is one measure of a Quality, with its name. An unknown value is nil.
type named struct {
	name  string
	value *float64
}

func (q *Classification) measures() []named {
	return []named{{"accuracy", &q.Accuracy}, {"macro F1", q.MacroF1}, {"AUC", q.AUC}, {"log loss", q.LogLoss}, {"calibration error", q.Calibration}}
}

func (q *Regression) measures() (all []named) {
	for _, t := range q.Targets {
		prefix := ""
		if len(q.Targets) > 1 {
			prefix = strings.TrimSpace(t.Name) + ": "
		}
		all = append(all, named{prefix + "RMSE", t.RMSE}, named{prefix + "MAE", t.MAE}, named{prefix + "R2", t.R2})
	}
	return all
}
