package report

import (
	"fmt"
	"math"

	"blskernel/bench"
)

func timeSection(runs []*run) Section {
	sec := Section{
		Title: "Time of an update",
		Text: "Seconds from the new rows of A to new weights W, without the features, and where measured the time of a " +
			"solution from scratch: of A⁺ and W, and of W alone. An update above that of a solution from scratch does not pay. " +
			"A⁺ from scratch is by the paper's ridge formula, in results of earlier versions by the start of Improved.",
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
			says += fmt.Sprintf(" Seed %d was interrupted: it has %d of %d steps in one process.", p.seed, n, r.updates+1)
		}
	}
	return says
}

// timeFindings sums up the runs that differ in the table alone: for each form of Improved its updates
// against retraining and against the planner's method.
func timeFindings(runs []*run) (findings []string, numbers []Number) {
	type key struct {
		suffix string
		place
		method string
	}
	type group struct {
		lost, won                       []string // tables
		inverse, weights, whole, update []float64
	}
	var groups ordered[key, group]
	var paper, wins []float64
	var tables, chosen []string
	for _, r := range runs {
		for i, m := range r.improved() {
			g, table := groups.at(key{r.suffix(), r.place, m}), fmt.Sprint(r.table)
			if inverse := r.ratios(updateOf(m), pseudoinverseOf); len(inverse) > 0 {
				g.lost = append(g.lost, table)
				g.inverse, g.weights = append(g.inverse, inverse...), append(g.weights, r.ratios(updateOf(m), weightsOf)...)
				if i == 0 { // by the paper's rule, and not by a form that was asked for
					paper, tables = append(paper, inverse...), append(tables, table)
				}
			}
			v := r.ratio(0, r.updates, secondsOf(m), secondsOf(bench.PlannerSeries))
			if m == r.planners() || math.IsNaN(v) {
				continue
			}
			g.won = append(g.won, table)
			g.whole, g.update = append(g.whole, v), append(g.update, r.ratios(updateOf(m), updateOf(bench.PlannerSeries))...)
			wins = append(wins, v)
			chosen = append(chosen, r.planners())
		}
	}
	for k, g := range groups.all {
		of := func(tables []string) string {
			noun := map[bool]string{true: "Table ", false: "Tables "}[len(tables) == 1]
			return noun + list(tables) + k.suffix + ", " + k.place.String()
		}
		loss := func(ratios []float64, what string) string {
			return fmt.Sprintf("%s times as long as %s", between(ratios, times), what)
		}
		if len(g.lost) > 0 {
			findings = append(findings, fmt.Sprintf("%s: updating A⁺ by %s takes %s (it loses at %d of %s), and %s.",
				of(g.lost), k.method, loss(g.inverse, "A⁺ and W from scratch"), above(g.inverse), count(len(g.inverse), "update"),
				loss(g.weights, "W alone")))
		}
		if len(g.won) > 0 {
			findings = append(findings, fmt.Sprintf("%s: the planner's method is %s times as fast as %s in the whole training "+
				"with features, and %s times in the updates alone.", of(g.won), between(g.whole, times), k.method, between(g.update, times)))
		}
	}
	if len(paper) > 0 {
		numbers = append(numbers, Number{fmt.Sprintf("%d of %d", above(paper), len(paper)), fmt.Sprintf("updates in which computing A⁺ "+
			"and W from scratch is faster than updating A⁺ by Improved (Tables %s)", list(unique(tables)))})
	}
	if len(wins) > 0 {
		numbers = append(numbers, Number{between(wins, times) + "×", "speed over Improved, in total training time and for the " +
			"same weights, of the method that the planner chooses: " + list(unique(chosen))})
	}
	return findings, numbers
}
