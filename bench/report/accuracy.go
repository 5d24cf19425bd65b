package report

import (
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
	"blskernel/internal/io/names"

	"gonum.org/v1/gonum/stat"
)

func (r *run) accuracies(method string, n int) []float64 {
	return r.bySeed(method, n, func(_ bench.TableRow, c bench.TableCell) *float64 { return c.Accuracy })
}

// spread formats a mean with its standard deviation, or the mean alone if the deviation is NaN.
func spread(mean, deviation float64) string {
	if math.IsNaN(deviation) {
		return orAbsent(names.Fixed(mean, 2))
	}
	return names.Fixed(mean, 2) + " ± " + names.Fixed(deviation, 2)
}

func accuracySection(runs []*run) Section {
	sec := Section{
		Title: "Accuracy against samples",
		Text: `The share of test samples that are classified correctly after each step. Features are random, and each
seed draws its own: the numbers are means over seeds, with the standard deviation. Tables on random
images were run for the times alone, and show only the paper's accuracies.`,
	}
	maxSeeds, t := 0, newStepTable("%", 0, lastOf(runs))
	for _, r := range runs {
		number, plot, seeds := r.accuracyRows(t)
		if seeds > maxSeeds {
			sec.numbers, sec.Plots, maxSeeds = []Number{number}, []*Plot{plot}, seeds
		}
	}
	if len(t.Rows) > 0 {
		sec.Tables = []Table{t.Table}
	}
	if maxSeeds > 0 {
		sec.meaning = []string{"The update method changes accuracies by at most " + names.Fixed(methodsApart(runs), 2) + " percentage points."}
	}
	return sec
}

// methodsApart returns the largest difference, for any seed, between a method's accuracy and the first
// method's.
func methodsApart(runs []*run) (points float64) {
	for _, r := range runs {
		for _, row := range r.Rows {
			for _, c := range row.Cells {
				if first := row.Cells[0].Accuracy; c.Accuracy != nil && first != nil {
					points = max(points, math.Abs(*c.Accuracy-*first))
				}
			}
		}
	}
	return points
}

// accuracyRows adds rows to t for the samples after each step, each method's accuracies, and the
// paper's. For a complete run by a recipe it also returns a number for the top of the page and a plot.
// Both show the method with the most seeds. maxSeeds is the number of its seeds, or 0 without a plot.
func (r *run) accuracyRows(t *stepTable) (top Number, plot *Plot, maxSeeds int) {
	var paper bench.Figures
	random := r.Scale == 1 && r.Data == bench.RandomImages
	if r.sameTask() || random {
		paper = bench.PaperFigures(r.PaperTable.Table)
	}
	tested := slices.DeleteFunc(slices.Clone(r.Methods), func(m string) bool { return len(r.accuracies(m, 0)) == 0 })
	if len(tested) == 0 && !random {
		return top, nil, 0
	}
	samples := func(n int) float64 {
		if n > r.last() {
			return nan
		}
		return float64(r.steps[n].Samples)
	}
	t.add(r.name()+": samples", func(n int) string { return orAbsent(names.Fixed(samples(n), 0)) })
	points := func(of func(n int) (mean, deviation float64)) (all []Point) {
		for n := range r.steps {
			mean, deviation := of(n)
			if math.IsNaN(deviation) { // a single seed, or no figure in the paper
				deviation = 0
			}
			all = append(all, Point{samples(n), mean, deviation})
		}
		return all
	}
	printed := func(n int) (mean, deviation float64) { return entry(paper.Accuracy, n), entry(paper.AccuracySD, n) }
	for _, m := range tested {
		seeds := len(r.accuracies(m, r.last())) // the last run may have been interrupted
		mean := func(n int) (mean, deviation float64) { return stat.MeanStdDev(r.accuracies(m, n), nil) }
		t.add(fmt.Sprintf("%s, %s", m, names.Count(seeds, "seed")), func(n int) string { return spread(mean(n)) })
		if theirs, _ := printed(r.Updates); !math.IsNaN(theirs) && r.byRecipe() && r.last() == r.Updates && seeds > maxSeeds {
			maxSeeds = seeds
			ours, paper, name := spread(mean(r.last())), spread(printed(r.last())), fmt.Sprintf("%s, %s", m, names.Count(seeds, "seed"))
			if seeds > 1 {
				name += ", with the standard deviation"
			}
			top = Number{ours + "%", fmt.Sprintf("test accuracy after all %d samples of %s, with the recipe of the %s (%s); the paper has %s%%",
				r.steps[r.last()].Samples, r.name(), r.Recipe, names.Count(seeds, "seed"), paper)}
			plot = &Plot{
				Name: "accuracy", X: Axis{Label: "samples"}, Y: Axis{Label: "test accuracy in percent, " + r.name()},
				Title:  fmt.Sprintf("Test accuracy after %d samples: %s%%; the paper has %s%%", r.steps[r.last()].Samples, ours, paper),
				Series: []Series{{Name: name, Line: true, Points: points(mean)}, {Name: "the paper", Points: points(printed)}},
			}
		}
	}
	if len(paper.Accuracy) > 0 {
		t.add("the paper", func(n int) string { return spread(printed(n)) })
	}
	return top, plot, maxSeeds
}
