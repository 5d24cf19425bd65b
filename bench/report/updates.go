package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
)

func timeSection(runs []*run) Section {
	sec := Section{
		Title: "Time of an update",
		Text: `Seconds from the new rows of A to new weights W, without the features, and where measured the time
of a solution from scratch: of A⁺ and W, and of W alone. An update above that of a solution from
scratch does not pay. A⁺ from scratch is by the paper's ridge formula, or by the start of Improved
where the lines have no pseudoinverse_by.`,
	}
	// Titles are links on the page: a run by other methods, or the same once more, has another one.
	titles := map[string]int{}
	for _, r := range runs {
		if r.last() > 0 {
			titles[r.title()]++
		}
	}
	used := map[string]int{}
	for _, r := range runs {
		if r.last() == 0 {
			continue
		}
		t := r.timeTable()
		if titles[t.Title] > 1 {
			t.Title += ", by " + strings.Join(r.Methods, ", ")
		}
		if used[t.Title]++; used[t.Title] > 1 {
			t.Title += fmt.Sprintf(" (%d)", used[t.Title])
		}
		sec.Tables = append(sec.Tables, t)
	}
	sec.numbers = timeNumbers(runs)
	return sec
}

// title names a run by what differs from the paper, and where it was measured.
func (r *run) title() string { return r.name() + ", " + r.where }

// timeTable has the steps of a run by all methods.
func (r *run) timeTable() Table {
	last := r.last()
	t := Table{
		Title: r.title(), Text: r.TitleOn(r.Data) + ".",
		Columns: stepColumns("seconds", 0, last, "all"),
		Rows:    [][]string{stepRow("samples", whole, 0, last, func(n int) float64 { return float64(r.steps[n].Samples) }, nan)},
	}
	if r.Data == bench.SyntheticDigits {
		t.Text += " A program draws these digits; their accuracies say nothing about MNIST."
	}
	if last != r.Updates {
		t.Text += fmt.Sprintf(" The run was interrupted: it has %d of %d steps.", len(r.steps), r.Updates+1)
	}
	add := func(name string, seconds func(n int) float64) {
		all := 0.0
		for n := range r.steps {
			all += seconds(n)
		}
		t.Rows = append(t.Rows, stepRow(name, significant, 0, last, seconds, all))
	}
	for _, m := range r.Methods {
		add(m, func(n int) float64 { return r.update(m, n) })
	}
	if slices.ContainsFunc(r.steps, func(s bench.TableRow) bool { return s.Retraining != nil }) {
		add("A⁺ and W from scratch", func(n int) float64 { inverse, _ := r.scratch(n); return inverse })
		add("W from scratch", func(n int) float64 { _, weights := r.scratch(n); return weights })
	}
	add("features", func(n int) float64 { return r.steps[n].FeatureSeconds })
	return t
}

// scratch returns the times of solutions from scratch after a step, of A⁺ and W and of W alone, or NaN.
func (r *run) scratch(n int) (inverse, weights float64) {
	if s := r.steps[n].Retraining; s != nil {
		return s.PseudoinverseSeconds, s.WeightsSeconds
	}
	return nan, nan
}

// timeNumbers compares the updates of Improved, in the form that comes first, with A⁺ from scratch and
// with the planner's method.
func timeNumbers(runs []*run) (numbers []Number) {
	var inverse, whole []float64
	var tables, chosen []string
	for _, r := range runs {
		i := slices.IndexFunc(r.Methods, improved)
		if i < 0 {
			continue
		}
		method := r.Methods[i]
		for n := 1; n <= r.last(); n++ {
			from, _ := r.scratch(n)
			if v := r.update(method, n) / from; !math.IsNaN(v) {
				inverse, tables = append(inverse, v), append(tables, fmt.Sprint(r.PaperTable.Table))
			}
		}
		theirs, _ := r.total(method)
		ours, _ := r.total(r.Planner)
		if v := theirs / ours; method != r.Planner && !math.IsNaN(v) {
			whole, chosen = append(whole, v), append(chosen, r.Planner)
		}
	}
	if len(inverse) > 0 {
		numbers = append(numbers, Number{fmt.Sprintf("%d of %d", above(1, inverse), len(inverse)),
			"updates in which computing A⁺ and W from scratch is faster than updating A⁺ by Improved (Tables " +
				strings.Join(unique(tables), ", ") + ")"})
	}
	if len(whole) > 0 {
		numbers = append(numbers, Number{between(whole) + "×", "speed over Improved, in total training time on the same problem, of the " +
			"method that the planner chooses: " + strings.Join(unique(chosen), ", ")})
	}
	return numbers
}
