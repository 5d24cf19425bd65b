package report

import (
	"fmt"
	"math"

	"blskernel/bench"
)

func timeSection(runs []*run) Section {
	sec := Section{
		Title: "Time of an update",
		Text: "Seconds from the new rows of A to new weights W, without the features, and " +
			"where measured the time of a solution from scratch: of A⁺ and W, and of W " +
			"alone. An update above that of a solution from scratch does not pay. A⁺ " +
			"from scratch is by the paper's ridge formula, in results of earlier " +
			"versions by the start of Improved.",
	}
	for _, r := range runs {
		if r.last() > 0 {
			sec.Figures = append(sec.Figures, r.timeFigure())
		}
	}
	sec.Findings, sec.numbers = timeFindings(runs)
	return sec
}

// timeFigure has the updates of a run by all methods.
func (r *run) timeFigure() Figure {
	name, last := fmt.Sprintf("%s, %s", r.setting.name(), r.place), r.last()
	p := &Plot{
		Name: slug("times " + r.setting.name() + " " + r.Backends), Title: r.setting.name(),
		x: axis{label: "training samples after the update"}, y: axis{label: "time of an update, s", log: true},
	}
	samples := r.samples(last)
	t := Table{
		Columns: append(stepColumns("seconds", 0, last), "all"),
		Rows:    [][]string{stepRow("samples", whole, append(samples, nan))},
	}
	add := func(name string, plain bool, q quantity) {
		seconds := values(last, func(n int) float64 { return r.median(n, n, q) })
		p.add(name, plain, samples[1:], seconds[1:])
		t.Rows = append(t.Rows, stepRow(name, significant, append(seconds, r.median(0, last, q))))
	}
	for _, m := range r.methods {
		add(m, false, updateOf(m))
	}
	if len(r.ratios(weightsOf, featuresOf)) > 0 {
		add("A⁺ and W from scratch", true, pseudoinverseOf)
		add("W from scratch", true, weightsOf)
	}
	add("features", true, featuresOf)
	text := r.title() + r.missing()
	if len(r.passes) > 1 {
		text += fmt.Sprintf(" Medians of %d runs.", len(r.passes))
	}
	f := Figure{Title: name, Text: text, Table: t}
	if len(p.series) > 0 {
		f.Plots = append(f.Plots, p)
	}
	return f
}

// samples returns l after each step, NaN where none has it.
func (r *run) samples(last int) []float64 {
	return values(last, func(n int) float64 {
		return r.median(n, n, func(s *bench.TableRow) float64 { return float64(s.Samples) })
	})
}

// missing names the passes that are not whole.
func (r *run) missing() (says string) {
	for _, p := range r.passes {
		if n := len(p.steps); n <= r.updates {
			says += fmt.Sprintf(" Seed %d was interrupted: it has %d of %d steps in one "+
				"process.",
				p.seed, n, r.updates+1)
		}
	}
	return says
}

// An outcome is how the updates of a form of Improved fare, in runs that differ in the table alone.
type outcome struct {
	lost            []string // tables with times of a solution from scratch
	inverse, weight []float64
	won             []string // tables with the planner's method
	whole, update   []float64
	chosen          []string // by the planner
}

func (o *outcome) add(r *run, method string) {
	if inverse := r.ratios(updateOf(method), pseudoinverseOf); len(inverse) > 0 {
		o.lost = append(o.lost, fmt.Sprint(r.table))
		o.inverse = append(o.inverse, inverse...)
		o.weight = append(o.weight, r.ratios(updateOf(method), weightsOf)...)
	}
	v := r.ratio(0, r.updates, secondsOf(method), secondsOf(bench.PlannerSeries))
	if method != r.planners() && !math.IsNaN(v) {
		o.won, o.chosen = append(o.won, fmt.Sprint(r.table)), append(o.chosen, r.planners())
		o.whole = append(o.whole, v)
		o.update = append(o.update, r.ratios(updateOf(method), updateOf(bench.PlannerSeries))...)
	}
}

// timeFindings compares the updates of each form of Improved with a solution from scratch and with the
// planner's method. The numbers are of the form by the paper's rule, which comes first.
func timeFindings(runs []*run) (findings []string, numbers []Number) {
	type key struct {
		suffix string
		place
		method string
	}
	var groups ordered[key, outcome]
	var all outcome
	for _, r := range runs {
		for i, m := range r.improved() {
			groups.at(key{r.suffix(), r.place, m}).add(r, m)
			if i == 0 {
				all.add(r, m)
			}
		}
	}
	for k, o := range groups.all {
		of := func(tables []string) string {
			noun := map[bool]string{true: "Table ", false: "Tables "}[len(tables) == 1]
			return noun + list(tables) + k.suffix + ", " + k.place.String()
		}
		if len(o.lost) > 0 {
			findings = append(findings, fmt.Sprintf("%s: updating A⁺ by %s takes %s "+
				"times as long as A⁺ and W from scratch (it loses at %d of %s), and "+
				"%s times as long as W alone.",
				of(o.lost), k.method, between(o.inverse, times),
				above(o.inverse), count(len(o.inverse), "update"), between(o.weight, times)))
		}
		if len(o.won) > 0 {
			findings = append(findings, fmt.Sprintf("%s: the planner's method is %s "+
				"times as fast as %s in the whole training with features, and %s "+
				"times in the updates alone.",
				of(o.won), between(o.whole, times), k.method, between(o.update, times)))
		}
	}
	if len(all.lost) > 0 {
		numbers = append(numbers, Number{fmt.Sprintf("%d of %d", above(all.inverse), len(all.inverse)),
			fmt.Sprintf("updates in which computing A⁺ and W from scratch is faster "+
				"than updating A⁺ by Improved (Tables %s)",
				list(unique(all.lost)))})
	}
	if len(all.won) > 0 {
		numbers = append(numbers, Number{between(all.whole, times) + "×", "speed over " +
			"Improved, in total training time and for the same weights, of the method " +
			"that the planner chooses: " + list(unique(all.chosen))})
	}
	return findings, numbers
}
