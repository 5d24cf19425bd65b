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
	accuracy := cell(method, func(_ *bench.TableRow, c bench.TableCell) float64 {
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
		Title: "Accuracy against samples",
		Text: "The share of test samples that are classified right after each step. " +
			"Features are random, and each seed draws them anew: the numbers are means " +
			"over seeds, with the standard deviation. Tables without an accuracy were " +
			"run for the times alone.",
	}
	all, steps, seeds := accuracyRuns(runs), 0, 0
	for _, g := range all {
		steps = max(steps, g.updates)
	}
	t := Table{Columns: stepColumns("%", 0, steps)}
	for _, g := range all {
		t.Rows = append(t.Rows, g.rows(steps)...)
		finding, number := g.finding()
		sec.Findings = append(sec.Findings, finding)
		if n := g.seeds(g.methods[0]); number != nil && n > seeds {
			sec.numbers, seeds = number, n
		}
	}
	if len(all) > 0 {
		sec.Figures = []Figure{{Table: t}}
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

// rows returns the samples after each step, the accuracies by each method, and those of the paper.
func (g *accuracyRun) rows(steps int) [][]string {
	rows := [][]string{stepRow(g.setting.name()+": samples", whole, g.samples(steps))}
	for _, m := range g.methods {
		row := []string{fmt.Sprintf("%s, %s", m, count(g.seeds(m), "seed"))}
		for n := range steps + 1 {
			row = append(row, g.value(m, n))
		}
		rows = append(rows, row)
	}
	if paper := g.paper(); len(paper.Accuracy) > 0 {
		row := []string{"the paper"}
		for n := range steps + 1 {
			row = append(row, spread(entry(paper.Accuracy, n), entry(paper.AccuracySD, n)))
		}
		rows = append(rows, row)
	}
	return rows
}

// finding compares the accuracy after the last step with the paper's. With the paper's settings it also
// returns a number for the top.
func (g *accuracyRun) finding() (says string, number []Number) {
	method, last := g.methods[0], 0
	for n := range g.updates + 1 {
		if len(g.of(method, n)) > 0 {
			last = n
		}
	}
	name, samples, value, seeds := g.setting.name(), g.samples(last)[last], g.value(method, last)+"%", g.seeds(method)
	says = fmt.Sprintf("%s: after %.0f samples the test accuracy is %s", name, samples, value)
	if seeds > 1 {
		says += fmt.Sprintf(" (%d seeds)", seeds)
	}
	theirs := entry(g.paper().Accuracy, last)
	if math.IsNaN(theirs) {
		return says + ".", nil
	}
	paper := fmt.Sprintf("; the paper has %s%%", fixed(theirs, 2))
	if last == g.updates && g.paperRecipe() {
		number = []Number{{value, fmt.Sprintf("test accuracy after all %.0f samples of %s, "+
			"with the paper's settings (%s)%s",
			samples, name, count(seeds, "seed"), paper)}}
	}
	return says + paper + ".", number
}

// value writes the accuracy of a step.
func (g *accuracyRun) value(method string, n int) string { return spread(g.at(method, n)) }

// spread writes a mean with its standard deviation, if there is one.
func spread(mean, deviation float64) string {
	if math.IsNaN(deviation) {
		return fixed(mean, 2)
	}
	return fixed(mean, 2) + " ± " + fixed(deviation, 2)
}
