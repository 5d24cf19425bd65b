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
		Text: `Seconds from the new rows of A to new weights W, without the features, and, if measured, the time of a
solution from scratch: of A⁺ and W, and of W alone. An update that takes longer than a solution from
scratch does not pay off. A⁺ from scratch is computed by the paper's ridge formula.`,
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *run) bool { return r.last() == 0 })
	used := map[string]int{} // titles are link targets on the page, so each run needs a unique title
	for _, r := range runs {
		t := r.timeTable()
		if slices.ContainsFunc(runs, func(other *run) bool { return other != r && other.title() == t.Title }) {
			t.Title += ", by " + strings.Join(r.Methods, ", ")
		}
		if used[t.Title]++; used[t.Title] > 1 {
			t.Title += fmt.Sprintf(" (%d)", used[t.Title])
		}
		sec.Tables = append(sec.Tables, t)
		if plot := r.updatePlot(); plot != nil && sec.top == nil {
			sec.top = []*Plot{plot}
		}
	}
	sec.timeNumbers(runs)
	return sec
}

// updatePlot plots the seconds of updates by Original, the first form of Improved, and the
// planner's method. It returns nil unless the run has several updates by all three.
func (r *run) updatePlot() *Plot {
	i := slices.IndexFunc(r.Methods, improved)
	if i < 0 || r.last() < 2 || !slices.Contains(r.Methods, "original") || r.Planner == "" || improved(r.Planner) {
		return nil
	}
	p := &Plot{Name: "updates", X: Axis{Label: "samples after the update"}, Y: Axis{Label: "seconds of an update, " + r.name(), Log: true}}
	var grown []string
	for _, m := range []string{"original", r.Methods[i], r.Planner} {
		s := Series{Name: m, Line: true}
		for n := 1; n <= r.last(); n++ {
			s.Points = append(s.Points, Point{X: float64(r.steps[n].Samples), Y: r.update(m, n)})
		}
		p.Series = append(p.Series, s)
		grown = append(grown, fmt.Sprintf("%s (%s)", times(r.update(m, r.last())/r.update(m, 1)), m))
	}
	p.Title = fmt.Sprintf("From %d to %d samples the time of an update is multiplied by %s", r.steps[1].Samples, r.steps[r.last()].Samples, strings.Join(grown, ", "))
	return p
}

func (r *run) title() string { return r.name() + ", " + r.where }

func (r *run) timeTable() Table {
	last := r.last()
	t := newStepTable("seconds", 0, last, "all")
	t.Title, t.Text = r.title(), r.TitleOn(r.Data)+"."
	t.add("samples", func(n int) string { return fmt.Sprint(r.steps[n].Samples) }, absent)
	if r.Data == bench.SyntheticDigits {
		t.Text += " These digits are drawn by a program; accuracies on them say nothing about MNIST."
	}
	if n := r.Machine.Attempts; n > 1 {
		t.Text += fmt.Sprintf(" Run %d times: the FMA peak moved.", n)
	}
	if last != r.Updates {
		t.Text += fmt.Sprintf(" The run was interrupted: it has %d of %d steps.", len(r.steps), r.Updates+1)
	}
	add := func(name string, seconds func(n int) float64) {
		all := 0.0
		for n := range r.steps {
			all += seconds(n)
		}
		t.add(name, func(n int) string { return significant(seconds(n)) }, significant(all))
	}
	for _, m := range r.Methods {
		add(m, func(n int) float64 { return r.update(m, n) })
	}
	if slices.ContainsFunc(r.steps, func(s bench.TableRow) bool { return s.Retraining != nil }) {
		add("A⁺ and W from scratch", func(n int) float64 { return r.scratch(n).PseudoinverseSeconds })
		add("W from scratch", func(n int) float64 { return r.scratch(n).WeightsSeconds })
	}
	add("features", func(n int) float64 { return r.steps[n].FeatureSeconds })
	return t.Table
}

// scratch returns the times of solutions from scratch after step n, NaN if they were not measured.
func (r *run) scratch(n int) bench.Retraining {
	if s := r.steps[n].Retraining; s != nil {
		return *s
	}
	return bench.Retraining{PseudoinverseSeconds: nan, WeightsSeconds: nan}
}

// timeNumbers adds numbers that compare the first form of Improved in each run with A⁺ from scratch and
// with the planner's method.
func (sec *Section) timeNumbers(runs []*run) {
	var inverse, total []float64
	var tables, chosen []string
	for _, r := range runs {
		i := slices.IndexFunc(r.Methods, improved)
		if i < 0 {
			continue
		}
		method := r.Methods[i]
		for n := 1; n <= r.last(); n++ {
			if v := r.update(method, n) / r.scratch(n).PseudoinverseSeconds; !math.IsNaN(v) {
				inverse, tables = append(inverse, v), append(tables, fmt.Sprint(r.PaperTable.Table))
			}
		}
		theirs, _ := r.total(method)
		ours, _ := r.total(r.Planner)
		if v := theirs / ours; method != r.Planner && !math.IsNaN(v) {
			total, chosen = append(total, v), append(chosen, r.Planner)
		}
	}
	if len(inverse) > 0 {
		sec.numbers = append(sec.numbers, Number{fmt.Sprintf("%d of %d", above(1, inverse), len(inverse)),
			"updates in which computing A⁺ and W from scratch is faster than updating A⁺ by Improved (tables: " + strings.Join(slices.Compact(tables), ", ") + ")"})
	}
	if len(total) > 0 {
		sec.numbers = append(sec.numbers, Number{between(total) + "×", "speed-up of the method that the planner chooses over Improved, " +
			"in total training time on the same problem: " + strings.Join(slices.Compact(chosen), ", ")})
		sec.meaning = append(sec.meaning, "The weights need no A⁺, whose size grows with the samples: the planner's method solves the same problem without it. "+
			"At the paper's ridge the weights of both agree to few digits (notes.md).")
	}
}
