package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
)

func timeSection(runs []*run) Section {
	sec := Section{
		Title: "Time of an update",
		Text: "Seconds from the new rows of A to new weights W, without the features, and where measured the time of a " +
			"solution from scratch: of A⁺ and W, and of W alone. An update above that of a solution from scratch does not pay.",
	}
	for _, r := range runs {
		if r.last() > 0 {
			sec.Figures = append(sec.Figures, r.timeFigure())
		}
	}
	sec.Findings, sec.numbers = timeFindings(runs)
	return sec
}

// label names a step, with a mark where an interrupted run continued.
func (r *run) label(n int) string {
	label := stepName(n)
	if slices.ContainsFunc(r.passes, func(p *pass) bool { return p.steps[n] != nil && p.steps[n].Rebuilt }) {
		label += ", states rebuilt"
	}
	return label
}

// timeFigure has the updates of a run by all methods.
func (r *run) timeFigure() Figure {
	name, last := fmt.Sprintf("%s, %s", r.setting.name(), r.place), r.last()
	p := &Plot{
		Name: slug("times " + r.setting.name() + " " + r.Backends), Title: r.setting.name(),
		x: axis{label: "training samples after the update"}, y: axis{label: "time of an update, s", log: true},
	}
	samples := r.samples(last)
	t := Table{Columns: []string{"seconds"}, Rows: [][]string{stepRow("samples", whole, append(samples, nan))}}
	for n := range last + 1 {
		t.Columns = append(t.Columns, r.label(n))
	}
	t.Columns = append(t.Columns, "all")
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
		return r.median(n, n, func(s *step) float64 { return float64(s.Samples) })
	})
}

// missing names the passes that were interrupted, and those that continued with rebuilt states.
func (r *run) missing() (says string) {
	for _, p := range r.passes {
		last := p.last()
		if last < r.updates {
			says += fmt.Sprintf(" This run was interrupted: seed %d ends after update %d of %d.", p.seed, last, r.updates)
		}
		for n := range last + 1 {
			if s := p.steps[n]; s != nil && s.Rebuilt {
				says += fmt.Sprintf(" Seed %d continued from update %d with rebuilt states and has no total.", p.seed, n)
			}
		}
	}
	return says
}

// from names the way in which A⁺ was computed from scratch, by the name that results have.
func from(by string) string {
	known := map[string]string{"cholesky": "by the ridge formula", "qr": "by QR", "svd": "by the SVD"}
	return "A⁺ " + cmp.Or(known[by], "as Improved starts")
}

// fromScratch names the work that updates are compared with, by the ways in which A⁺ was computed.
func fromScratch(ways []string) string {
	return strings.Join(unique(ways), " or ") + " and W from scratch"
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
		ways                            []string
		inverse, weights, whole, update []float64
	}
	var groups ordered[key, group]
	var paper, wins []float64
	var tables, chosen []string
	for _, r := range runs {
		for i, m := range r.variants("improved") {
			g, table := groups.at(key{r.suffix(), r.place, m}), fmt.Sprint(r.table)
			if inverse := r.ratios(updateOf(m), pseudoinverseOf); len(inverse) > 0 {
				g.lost = append(g.lost, table)
				g.inverse, g.weights = append(g.inverse, inverse...), append(g.weights, r.ratios(updateOf(m), weightsOf)...)
				g.ways = append(g.ways, r.ways()...)
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
				of(g.lost), k.method, loss(g.inverse, fromScratch(g.ways)), above(g.inverse), count(len(g.inverse), "update"),
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

// ways returns how the pseudoinverses from scratch of a run were computed.
func (r *run) ways() (all []string) {
	for _, p := range r.passes {
		for n := range p.last() + 1 {
			if s := p.steps[n]; s != nil && s.Retraining != nil {
				all = append(all, from(s.Retraining.PseudoinverseBy))
			}
		}
	}
	return all
}
