package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
)

func accuracySection(runs []*run) section {
	s := section{
		ID: "accuracy", Title: "Accuracy against samples",
		Text: "The share of test samples that are classified right after each step. Features are random, and each seed draws them anew: points are means over seeds, bars one standard deviation. Methods that agree share a curve.",
	}
	groups := accuracyGroups(runs)
	searches, rest := searchesIn(groups)
	var without []*accuracyGroup
	seeds := 0
	for _, g := range rest {
		if len(g.methods) == 0 {
			without = append(without, g)
			continue
		}
		f, findings := g.figure()
		if n := g.number(); n != nil && (s.number == nil || g.seeds(g.methods[0]) > seeds) {
			s.number, seeds = n, g.seeds(g.methods[0])
		}
		s.Figures = append(s.Figures, f)
		s.findings = append(s.findings, findings...)
	}
	for _, found := range searches {
		f, finding := found.figure()
		s.Figures = append(s.Figures, f)
		s.findings = append(s.findings, finding)
	}
	if len(without) > 0 {
		s.Figures = append(s.Figures, noData(without))
	}
	return s
}

// noData says which tables have no accuracy, and why.
func noData(groups []*accuracyGroup) figure {
	f := figure{Title: "No data"}
	t := table{
		Caption: "Tables without an accuracy",
		Columns: []column{{Head: "table", Text: true}, {Head: "samples and sizes", Text: true}, {Head: "accuracy", Unit: "%", Text: true}},
	}
	for _, g := range groups {
		t.Rows = append(t.Rows, []string{g.name(), g.title(), "no data"})
	}
	f.Caption = "These were run for the times alone, on random images, of which there is nothing to be learned, or without a test set. So there is no accuracy."
	f.Tables = []table{t}
	return f
}

func (g *accuracyGroup) figure() (figure, []string) {
	f := figure{Title: g.name() + ": " + g.title()}
	steps := g.steps()
	slices.SortStableFunc(g.methods, func(a, b string) int {
		return cmp.Or(cmp.Compare(g.seeds(b), g.seeds(a)), cmp.Compare(truth(b == g.planner), truth(a == g.planner)), cmp.Compare(a, b))
	})
	paper, _ := bench.PaperFigures(g.table)
	if !g.sameTask() {
		paper = bench.Figures{}
	}
	main := g.methods[0]
	f.plot = &Plot{
		Name: slug("accuracy " + g.name()), Title: g.name() + ": accuracy",
		x: axis{label: "training samples"}, y: axis{label: "test accuracy, %"},
	}
	t := table{Caption: g.name() + ": accuracy after each step", Columns: []column{{Head: "samples"}}}
	for _, n := range steps {
		t.Rows = append(t.Rows, []string{fmt.Sprint(g.samples[n])})
	}
	var l looks
	var shown []string
	most, compared := 0.0, 0
	for _, m := range g.methods {
		own := !g.covered(m, shown)
		if d, ok := g.apart(main, m); ok && m != main {
			most, compared = max(most, d), compared+1
		}
		curve := l.method(m)
		many := g.seeds(m)
		curve.name = fmt.Sprintf("%s, %s", m, count(many, "seed", "seeds"))
		t.Columns = append(t.Columns, column{Head: m, Unit: "%"})
		deviations := own && many > 1 // of curves; of those that agree with one it is the same
		if many > 1 {
			t.Columns[len(t.Columns)-1].Head = fmt.Sprintf("%s, mean of %d", m, many)
		}
		if deviations {
			t.Columns = append(t.Columns, column{Head: "± sd", Unit: "%"})
		}
		for i, n := range steps {
			mean, deviation, ok := g.at(m, n)
			t.Rows[i] = append(t.Rows[i], fixed(mean, 2))
			if deviations {
				t.Rows[i] = append(t.Rows[i], fixed(deviation, 2))
			}
			if !ok {
				continue
			}
			curve.add(float64(g.samples[n]), mean)
			if deviations {
				if math.IsNaN(deviation) {
					deviation = 0
				}
				curve.err = append(curve.err, deviation)
			}
		}
		if own {
			shown = append(shown, m)
			f.plot.series = append(f.plot.series, curve)
		}
	}
	if len(paper.Accuracy) > 0 {
		curve := series{name: "the paper", ink: inkMuted, marker: 6, dash: 1}
		t.Columns = append(t.Columns, column{Head: "the paper", Unit: "%"}, column{Head: "± sd", Unit: "%"})
		for i, n := range steps {
			if n >= len(paper.Accuracy) {
				t.Rows[i] = append(t.Rows[i], absent, absent)
				continue
			}
			sd := 0.0
			if n < len(paper.AccuracySD) {
				sd = paper.AccuracySD[n]
			}
			written := absent
			if sd > 0 {
				written = fixed(sd, 2)
			}
			t.Rows[i] = append(t.Rows[i], fixed(paper.Accuracy[n], 2), written)
			curve.add(float64(g.samples[n]), paper.Accuracy[n])
			curve.err = append(curve.err, sd)
		}
		f.plot.series = append(f.plot.series, curve)
	}
	f.Tables = []table{t}
	finding := g.accuracyFinding(main, steps, paper)
	f.Caption = finding + g.caution()
	if compared > 0 {
		f.Caption += fmt.Sprintf(" With the same features the methods differ by %s percentage points at most.", fixed(most, 2))
	}
	f.plot.About = f.Caption
	return f, []string{finding}
}

// accuracyFinding says what is reached at the last step and how that is to the paper.
func (g *accuracyGroup) accuracyFinding(method string, steps []int, paper bench.Figures) string {
	n := steps[len(steps)-1]
	for len(steps) > 1 && len(g.values[method][n]) == 0 {
		steps = steps[:len(steps)-1]
		n = steps[len(steps)-1]
	}
	mean, deviation, _ := g.at(method, n)
	says := fmt.Sprintf("%s: after %d samples the test accuracy is %s%%", g.name(), g.samples[n], fixed(mean, 2))
	if !math.IsNaN(deviation) {
		says = fmt.Sprintf("%s: after %d samples the test accuracy is %s ± %s%% (%d seeds)", g.name(), g.samples[n], fixed(mean, 2), fixed(deviation, 2), len(g.values[method][n]))
	}
	if n >= len(paper.Accuracy) {
		return says + "."
	}
	says += fmt.Sprintf("; the paper has %s%%.", fixed(paper.Accuracy[n], 2))
	above, compared := 0, 0
	for _, n := range steps {
		if mean, _, ok := g.at(method, n); ok && n < len(paper.Accuracy) {
			compared++
			sd := 0.0
			if n < len(paper.AccuracySD) {
				sd = paper.AccuracySD[n]
			}
			if math.Round(100*mean) >= math.Round(100*(paper.Accuracy[n]-sd)) { // as they are printed
				above++
			}
		}
	}
	return says + fmt.Sprintf(" It is at least the paper's, less the standard deviation where the paper gives one, at %d of %s.", above, count(compared, "step", "steps"))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// number returns the accuracy at the end of a run of the paper's, or nil.
func (g *accuracyGroup) number() *Number {
	paper, _ := bench.PaperFigures(g.table)
	mean, deviation, ok := g.at(g.methods[0], g.updates)
	if !ok || !g.sameTask() || !g.paperRecipe() || g.updates >= len(paper.Accuracy) {
		return nil
	}
	value := fixed(mean, 2) + "%"
	if !math.IsNaN(deviation) {
		value = fmt.Sprintf("%s ± %s%%", fixed(mean, 2), fixed(deviation, 2))
	}
	return &Number{value, fmt.Sprintf("test accuracy after all %d samples of %s, with the paper's settings (%s); the paper has %s%%",
		g.samples[g.updates], g.name(), count(g.seeds(g.methods[0]), "seed", "seeds"), fixed(paper.Accuracy[g.updates], 2))}
}
