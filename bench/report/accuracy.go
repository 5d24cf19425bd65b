package report

import (
	"fmt"
	"math"
	"slices"

	"blskernel/bench"

	"gonum.org/v1/gonum/stat"
)

// accuracies returns those of a step, one for each seed.
func (r *run) accuracies(method string, n int) (all []float64) {
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			if row.Step == n && c.Method == method && c.Accuracy != nil {
				all = append(all, *c.Accuracy)
			}
		}
	}
	return all
}

// spread writes a mean with its standard deviation, if there is one.
func spread(mean, deviation float64) string {
	if math.IsNaN(deviation) {
		return fixed(mean, 2)
	}
	return fixed(mean, 2) + " ± " + fixed(deviation, 2)
}

func accuracySection(runs []*run) Section {
	sec := Section{
		Title: "Accuracy against samples",
		Text: `The share of test samples that are classified right after each step. Features are random, and each
seed draws them anew: the numbers are means over seeds, with the standard deviation. Tables on random
images were run for the times alone, and have the paper's accuracies only.`,
	}
	last, most := 0, 0
	for _, r := range runs {
		last = max(last, r.last())
	}
	t := Table{Columns: stepColumns("%", 0, last)}
	for _, r := range runs {
		rows, number, seeds := r.accuracyRows(last)
		t.Rows = append(t.Rows, rows...)
		if seeds > most {
			sec.numbers, most = []Number{number}, seeds
		}
	}
	if len(t.Rows) > 0 {
		sec.Tables = []Table{t}
	}
	return sec
}

// accuracyRows returns the samples after each step, the accuracies by each method, and those of the
// paper. For a whole run by a recipe it also returns a number for the top, and of how
// many seeds that is, else 0.
func (r *run) accuracyRows(last int) (rows [][]string, top Number, most int) {
	var paper bench.Figures
	random := r.Scale == 1 && r.Data == bench.RandomImages
	if r.sameTask() || random {
		paper, _ = bench.PaperFigures(r.PaperTable.Table)
	}
	row := func(name string, of func(n int) string) {
		cells := []string{name}
		for n := range last + 1 {
			cells = append(cells, of(n))
		}
		rows = append(rows, cells)
	}
	tested := slices.DeleteFunc(slices.Clone(r.Methods), func(m string) bool { return len(r.accuracies(m, 0)) == 0 })
	if len(tested) == 0 && !random {
		return nil, Number{}, 0
	}
	rows = append(rows, stepRow(r.name()+": samples", whole, 0, last, func(n int) float64 {
		if n > r.last() {
			return nan
		}
		return float64(r.steps[n].Samples)
	}))
	for _, m := range tested {
		seeds := len(r.accuracies(m, 0))
		mean := func(n int) string { return spread(stat.MeanStdDev(r.accuracies(m, n), nil)) }
		row(fmt.Sprintf("%s, %s", m, count(seeds, "seed")), mean)
		if theirs := entry(paper.Accuracy, r.Updates); !math.IsNaN(theirs) && r.byRecipe() && r.last() == r.Updates && seeds > most {
			most = seeds
			top = Number{mean(r.last()) + "%", fmt.Sprintf("test accuracy after all %d samples of %s, by the recipe of the %s (%s); the paper has %s%%",
				r.steps[r.last()].Samples, r.name(), r.Recipe, count(seeds, "seed"), spread(theirs, entry(paper.AccuracySD, r.Updates)))}
		}
	}
	if len(paper.Accuracy) > 0 {
		row("the paper", func(n int) string { return spread(entry(paper.Accuracy, n), entry(paper.AccuracySD, n)) })
	}
	return rows, top, most
}
