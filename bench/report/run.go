package report

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/io/names"

	"gonum.org/v1/gonum/stat"
)

// A run is a measurement of one of the paper's tables.
type run struct {
	result.Table
	where string           // the backend, the threads and the CPU
	steps []bench.TableRow // in order; times are medians over the seeds
}

// runsOf returns a run for each table with rows, sorted by number and then by decreasing scale.
func runsOf(files []*result.File) (all []*run) {
	for _, f := range files {
		for _, t := range joined(f.Tables) {
			r := &run{Table: t, where: where(&t.Machine, strings.Join(t.Machine.Backends, ", "), threadsOf(&t.Machine))}
			for _, row := range t.Rows {
				if row.Seed == t.Rows[0].Seed {
					r.steps = append(r.steps, r.median(row))
				}
			}
			if len(r.steps) > 0 {
				shareStarts(r.steps[0].Cells)
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.PaperTable.Table, b.PaperTable.Table), cmp.Compare(b.Scale, a.Scale))
	})
	return all
}

// joined returns the tables of a file. It merges tables that differ only in their seeds: they come from
// several commands on one machine, each with seeds of its own.
func joined(tables []result.Table) (all []result.Table) {
	for _, t := range tables {
		i := slices.IndexFunc(all, func(other result.Table) bool {
			known := func(seed uint64) bool { return slices.Contains(other.Seeds, seed) }
			return reflect.DeepEqual(settings(other), settings(t)) && !slices.ContainsFunc(t.Seeds, known)
		})
		if i < 0 {
			all = append(all, t)
			continue
		}
		all[i].Seeds, all[i].Rows = slices.Concat(all[i].Seeds, t.Seeds), slices.Concat(all[i].Rows, t.Rows)
		all[i].Machine.Attempts = max(all[i].Machine.Attempts, t.Machine.Attempts)
	}
	return all
}

func settings(t result.Table) result.Table {
	t.Seeds, t.Rows = nil, nil
	t.Machine.Command, t.Machine.Date, t.Machine.Attempts = "", time.Time{}, 0
	return t
}

// median returns row with medians over all seeds as its times. The time of a method is the median time
// of the features plus the median time of the method without the features.
func (r *run) median(row bench.TableRow) bench.TableRow {
	var features []float64
	for _, other := range r.Rows {
		if other.Step == row.Step {
			features = append(features, other.FeatureSeconds)
		}
	}
	row.FeatureSeconds, row.Cells = speed.Median(features), slices.Clone(row.Cells)
	for i, c := range row.Cells {
		row.Cells[i].Seconds = row.FeatureSeconds + speed.Median(r.bySeed(c.Method, row.Step, func(row bench.TableRow, c bench.TableCell) *float64 {
			seconds := c.Seconds - row.FeatureSeconds
			return &seconds
		}))
	}
	return row
}

// bySeed returns of(row, c) for each cell c of a method in a step, one for each seed. It skips nil.
func (r *run) bySeed(method string, step int, of func(row bench.TableRow, c bench.TableCell) *float64) (all []float64) {
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			if row.Step == step && c.Method == method {
				if v := of(row, c); v != nil {
					all = append(all, *v)
				}
			}
		}
	}
	return all
}

// shareStarts sets the start times of Original and all forms of Improved with the same flops to their
// mean. Their differences are noise, which would enter every comparison of total times.
func shareStarts(cells []bench.TableCell) {
	starts := map[float64][]float64{} // seconds by flops
	alike := func(c bench.TableCell) bool { return c.Method == "original" || improved(c.Method) }
	for _, c := range cells {
		if alike(c) {
			starts[c.FlopsModel] = append(starts[c.FlopsModel], c.Seconds)
		}
	}
	for i, c := range cells {
		if alike(c) {
			cells[i].Seconds = stat.Mean(starts[c.FlopsModel], nil)
		}
	}
}

func improved(method string) bool {
	name, _, _ := strings.Cut(method, "/")
	return name == "improved"
}

func lastOf(runs []*run) (last int) {
	for _, r := range runs {
		last = max(last, r.last())
	}
	return last
}

func (r *run) last() int { return len(r.steps) - 1 }

// cell returns the results of a method in a step, with NaN for missing numbers.
func (r *run) cell(method string, n int) bench.TableCell {
	if n < len(r.steps) {
		for _, c := range r.steps[n].Cells {
			if c.Method == method {
				return c
			}
		}
	}
	return bench.TableCell{Seconds: nan, FlopsModel: nan}
}

// update returns the time that a method took for step n, without the features.
func (r *run) update(method string, n int) float64 {
	return r.cell(method, n).Seconds - r.steps[n].FeatureSeconds
}

// total returns the seconds and the flops of a method over all steps, or NaN if a step is missing.
func (r *run) total(method string) (seconds, flops float64) {
	if r.last() != r.Updates {
		return nan, nan
	}
	for n := range r.steps {
		c := r.cell(method, n)
		seconds += c.Seconds
		flops += c.FlopsModel
	}
	return seconds, flops
}

func (r *run) paper() bench.PaperTable { return bench.LookupPaperTable(r.PaperTable.Table) }

// sameTask reports whether accuracies are comparable with the paper's, under any recipe.
func (r *run) sameTask() bool { return r.Scale == 1 && r.Data == r.paper().Data }

// recipe returns the recipe on which the run is based. r.name() lists the settings that differ from it.
func (r *run) recipe() bench.Recipe { return bench.LookupRecipe(r.Recipe) }

// byRecipe reports whether the run has the ridge and the scale of the recipe, and no whitening.
func (r *run) byRecipe() bool {
	return r.Lambda == r.recipe().Lambda && r.Shrink == r.recipe().Shrink && r.Whitening == ""
}

// paperTimes returns the paper's figures for a form of Improved, or none if times are not comparable.
// Comparable times have the paper's sizes, its data or random images of that size, and the settings of
// a recipe. The form of B follows the paper's rule. For Table 7 this is the form for q ≤ k although q
// is larger, since the paper's speed-ups fit the flops of that form.
func (r *run) paperTimes(method string) (figures bench.Figures) {
	form := "small"
	if r.Batch > r.Nodes && r.PaperTable.Table != 7 {
		form = "large"
	}
	random := r.Scale == 1 && r.Data == bench.RandomImages && r.paper().Data == bench.NORB
	if took := r.cell(method, 1).Form; (random || r.sameTask()) && r.byRecipe() && (took == "" || took == form) {
		figures = bench.PaperFigures(r.PaperTable.Table)
	}
	return figures
}

// name describes the run: its table, and how scale, data and settings differ from the paper or recipe.
func (r *run) name() string {
	name := fmt.Sprintf("Table %d", r.PaperTable.Table)
	if r.Scale != 1 {
		name += fmt.Sprintf(" at scale %.3g", r.Scale)
	}
	if r.Data != r.paper().Data {
		name += " on " + bench.DataName(r.Data)
	}
	if r.Recipe == bench.RecipeText {
		name += ", recipe of the text"
	}
	if r.Lambda != r.recipe().Lambda {
		name += ", lambda = " + names.Ridge(r.Lambda)
	}
	if r.Shrink != r.recipe().Shrink {
		name += fmt.Sprintf(", s = %.3g", r.Shrink)
	}
	if r.Whitening != "" {
		name += ", whitened with " + r.Whitening + " constants"
	}
	return name
}
