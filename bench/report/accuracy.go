package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"

	"gonum.org/v1/gonum/stat"
)

// An accuracyRun is the passes of one setting, on whatever machine.
type accuracyRun struct{ run }

func accuracyRuns(runs []*run) (all []*accuracyRun) {
	var groups ordered[setting, accuracyRun]
	for _, r := range runs {
		g := groups.at(r.setting)
		g.setting = r.setting
		g.passes, g.methods = append(g.passes, r.passes...), unique(append(g.methods, r.methods...))
	}
	for _, g := range groups.all {
		g.methods = slices.DeleteFunc(g.methods, func(m string) bool { return g.seeds(m) == 0 })
		slices.SortStableFunc(g.methods, func(a, b string) int { return cmp.Compare(g.seeds(b), g.seeds(a)) })
		if len(g.methods) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// of returns the accuracies of a step, one for each seed.
func (g *accuracyRun) of(method string, n int) (all []float64) {
	accuracy := cell(method, func(_ *step, c bench.TableCell) float64 {
		if c.Accuracy == nil {
			return nan
		}
		return *c.Accuracy
	})
	var seen []uint64
	// Of passes with the same seed the last one counts.
	for _, p := range slices.Backward(g.passes) {
		if v := p.sum(n, n, accuracy); !math.IsNaN(v) && !slices.Contains(seen, p.seed) {
			all, seen = append(all, v), append(seen, p.seed)
		}
	}
	return all
}

// at returns the mean over the seeds with the standard deviation, NaN for none.
func (g *accuracyRun) at(method string, n int) (mean, deviation float64) {
	return stat.MeanStdDev(g.of(method, n), nil)
}

// seeds returns the largest number of seeds of a step by a method.
func (g *accuracyRun) seeds(method string) int {
	most := 0
	for n := range g.updates + 1 {
		most = max(most, len(g.of(method, n)))
	}
	return most
}

func accuracySection(runs []*run) Section {
	sec := Section{
		ID: "accuracy", Title: "Accuracy against samples",
		Text: "The share of test samples that are classified right after each step. Features are random, and each seed draws " +
			"them anew: points are means over seeds. Tables without an accuracy were run for the times alone.",
	}
	seeds := 0
	for _, g := range accuracyRuns(runs) {
		finding := g.finding()
		sec.Figures, sec.Findings = append(sec.Figures, g.figure(finding)), append(sec.Findings, finding)
		if n := g.number(); n != nil && g.seeds(g.methods[0]) > seeds {
			sec.numbers, seeds = []Number{*n}, g.seeds(g.methods[0])
		}
	}
	return sec
}

// paper returns the paper's figures, if the group learns and tests the same.
func (g *accuracyRun) paper() bench.Figures {
	if !g.sameTask() {
		return bench.Figures{}
	}
	paper, _ := bench.PaperFigures(g.table)
	return paper
}

// entry returns an element, NaN behind the end.
func entry(of []float64, n int) float64 {
	if n < len(of) {
		return of[n]
	}
	return nan
}

func (g *accuracyRun) figure(finding string) Figure {
	name := g.setting.name()
	c := chart{Plot: Plot{
		Name: slug("accuracy " + name), Title: name + ": accuracy",
		x: axis{label: "training samples"}, y: axis{label: "test accuracy, %"},
	}}
	c.Caption, c.Columns = name+": accuracy after each step", numbers("", "samples")
	var steps []int
	for n := range g.updates + 1 {
		if at := g.samples(n); at > 0 {
			steps = append(steps, n)
			c.row(at, fixed(at, 0))
		}
	}
	add := func(head string, many, plain bool, at func(n int) (mean, deviation float64)) {
		var means []float64
		var deviations []string
		for _, n := range steps {
			mean, deviation := at(n)
			means, deviations = append(means, mean), append(deviations, fixed(deviation, 2))
		}
		c.add(head, "%", plain, means, func(v float64) string { return fixed(v, 2) })
		if many {
			c.column(Column{Head: "± sd", Unit: "%"}, deviations)
		}
	}
	for _, m := range g.methods {
		seeds := g.seeds(m)
		add(fmt.Sprintf("%s, %s", m, count(seeds, "seed")), seeds > 1, false, func(n int) (mean, deviation float64) { return g.at(m, n) })
	}
	if paper := g.paper(); len(paper.Accuracy) > 0 {
		add("the paper", true, true, func(n int) (mean, deviation float64) {
			return entry(paper.Accuracy, n), entry(paper.AccuracySD, n)
		})
	}
	return c.figure(name, finding+" "+g.title())
}

// finding says what is reached at the last step, and what the paper has there.
func (g *accuracyRun) finding() string {
	method, last := g.methods[0], 0
	for n := range g.updates + 1 {
		if len(g.of(method, n)) > 0 {
			last = n
		}
	}
	says := fmt.Sprintf("%s: after %.0f samples the test accuracy is %s", g.setting.name(), g.samples(last), g.value(method, last))
	if seeds := g.seeds(method); seeds > 1 {
		says += fmt.Sprintf(" (%d seeds)", seeds)
	}
	if theirs := entry(g.paper().Accuracy, last); !math.IsNaN(theirs) {
		says += fmt.Sprintf("; the paper has %s%%", fixed(theirs, 2))
	}
	return says + "."
}

// value writes the accuracy of a step.
func (g *accuracyRun) value(method string, n int) string {
	mean, deviation := g.at(method, n)
	if math.IsNaN(deviation) {
		return fixed(mean, 2) + "%"
	}
	return fmt.Sprintf("%s ± %s%%", fixed(mean, 2), fixed(deviation, 2))
}

// number returns the accuracy at the end of a run with the paper's settings, or nil.
func (g *accuracyRun) number() *Number {
	method, last := g.methods[0], g.updates
	theirs := entry(g.paper().Accuracy, last)
	if mean, _ := g.at(method, last); math.IsNaN(mean+theirs) || !g.paperRecipe() {
		return nil
	}
	return &Number{g.value(method, last), fmt.Sprintf("test accuracy after all %.0f samples of %s, with the paper's settings (%s); "+
		"the paper has %s%%", g.samples(last), g.setting.name(), count(g.seeds(method), "seed"), fixed(theirs, 2))}
}
