package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"

	"gonum.org/v1/gonum/stat"
)

// An accuracyGroup is the accuracies of one setting, on whatever machine.
type accuracyGroup struct {
	setting
	methods []string    // the one with the most seeds comes first
	samples map[int]int // by step
	found   ordered[accuracyKey, float64]
}

type accuracyKey struct {
	method string
	step   int
	seed   uint64
}

func accuracyGroups(runs []*run) (all []*accuracyGroup) {
	var groups ordered[setting, accuracyGroup]
	for _, r := range runs {
		g := groups.at(r.setting)
		if g.samples == nil {
			g.setting, g.samples = r.setting, map[int]int{}
		}
		for _, p := range r.passes {
			for n := range p.last() + 1 {
				s := p.steps[n]
				if s == nil {
					continue
				}
				for _, c := range s.Cells {
					if c.Accuracy != nil {
						g.methods, g.samples[n] = append(g.methods, c.Method), s.Samples
						*g.found.at(accuracyKey{c.Method, n, p.seed}) = *c.Accuracy
					}
				}
			}
		}
	}
	for _, g := range groups.all {
		g.methods = unique(g.methods)
		slices.SortStableFunc(g.methods, func(a, b string) int { return cmp.Compare(g.seeds(b), g.seeds(a)) })
		if len(g.methods) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// seeds returns the largest number of seeds of a step by a method.
func (g *accuracyGroup) seeds(method string) int {
	most := 0
	for n := range g.updates + 1 {
		most = max(most, len(g.of(method, n)))
	}
	return most
}

// of returns the accuracies of a step by seed.
func (g *accuracyGroup) of(method string, n int) (all []float64) {
	for k, v := range g.found.all {
		if k.method == method && k.step == n {
			all = append(all, *v)
		}
	}
	return all
}

// at returns the mean over the seeds with the standard deviation, NaN for none.
func (g *accuracyGroup) at(method string, n int) (mean, deviation float64) {
	return stat.MeanStdDev(g.of(method, n), nil)
}

func accuracySection(runs []*run) Section {
	sec := Section{
		ID: "accuracy", Title: "Accuracy against samples",
		Text: "The share of test samples that are classified right after each step. Features are random, and each seed draws " +
			"them anew: points are means over seeds. Tables without an accuracy were run for the times alone.",
	}
	seeds := 0
	for _, g := range accuracyGroups(runs) {
		finding := g.finding()
		sec.Figures, sec.Findings = append(sec.Figures, g.figure(finding)), append(sec.Findings, finding)
		if n := g.number(); n != nil && g.seeds(g.methods[0]) > seeds {
			sec.number, seeds = n, g.seeds(g.methods[0])
		}
	}
	return sec
}

// paper returns the paper's figures, if the group learns and tests the same.
func (g *accuracyGroup) paper() bench.Figures {
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

func (g *accuracyGroup) figure(finding string) Figure {
	name := g.name()
	c := chart{Plot: Plot{
		Name: slug("accuracy " + name), Title: name + ": accuracy",
		x: axis{label: "training samples"}, y: axis{label: "test accuracy, %"},
	}}
	c.Caption, c.Columns = name+": accuracy after each step", numbers("", "samples")
	var steps []int
	for n := range g.updates + 1 {
		if g.samples[n] > 0 {
			steps = append(steps, n)
			c.row(float64(g.samples[n]), fmt.Sprint(g.samples[n]))
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
func (g *accuracyGroup) finding() string {
	method, last := g.methods[0], 0
	for n := range g.updates + 1 {
		if len(g.of(method, n)) > 0 {
			last = n
		}
	}
	says := fmt.Sprintf("%s: after %d samples the test accuracy is %s", g.name(), g.samples[last], g.value(method, last))
	if seeds := g.seeds(method); seeds > 1 {
		says += fmt.Sprintf(" (%d seeds)", seeds)
	}
	if theirs := entry(g.paper().Accuracy, last); !math.IsNaN(theirs) {
		says += fmt.Sprintf("; the paper has %s%%", fixed(theirs, 2))
	}
	return says + "."
}

// value writes the accuracy of a step.
func (g *accuracyGroup) value(method string, n int) string {
	mean, deviation := g.at(method, n)
	if math.IsNaN(deviation) {
		return fixed(mean, 2) + "%"
	}
	return fmt.Sprintf("%s ± %s%%", fixed(mean, 2), fixed(deviation, 2))
}

// number returns the accuracy at the end of a run with the paper's settings, or nil.
func (g *accuracyGroup) number() *Number {
	method, last := g.methods[0], g.updates
	theirs := entry(g.paper().Accuracy, last)
	if mean, _ := g.at(method, last); math.IsNaN(mean+theirs) || !g.paperRecipe() {
		return nil
	}
	return &Number{g.value(method, last), fmt.Sprintf("test accuracy after all %d samples of %s, with the paper's settings (%s); "+
		"the paper has %s%%", g.samples[last], g.name(), count(g.seeds(method), "seed"), fixed(theirs, 2))}
}
