package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// A run is all that was measured of a table at one place.
type run struct {
	setting
	place
	methods []string // in the order in which they came
	passes  []*pass
}

// A pass is the steps of one seed of one table line, one after another. Ratios are of times within a
// pass.
type pass struct {
	seed    uint64
	planner string // the planner's choice among the methods, or empty
	steps   map[int]*bench.TableRow
}

// A quantity is a measurement of a step, NaN where it is missing.
type quantity func(*bench.TableRow) float64

// cell returns a quantity that has the value of a method's cell. The method may be bench.PlannerSeries.
func cell(method string, value func(*bench.TableRow, bench.TableCell) float64) quantity {
	return func(s *bench.TableRow) float64 {
		for _, c := range s.Cells {
			if c.Method == method {
				return value(s, c)
			}
		}
		return nan
	}
}

// secondsOf is the time of a step by a method, with its features.
func secondsOf(method string) quantity {
	return cell(method, func(_ *bench.TableRow, c bench.TableCell) float64 { return c.Seconds })
}

// updateOf is the time of a step by a method, without its features.
func updateOf(method string) quantity {
	return cell(method, func(s *bench.TableRow, c bench.TableCell) float64 { return c.Seconds - s.FeatureSeconds })
}

// flopsOf is the flops of a step by a method, by the model.
func flopsOf(method string) quantity {
	return cell(method, func(_ *bench.TableRow, c bench.TableCell) float64 { return c.FlopsModel })
}

func featuresOf(s *bench.TableRow) float64 { return s.FeatureSeconds }

func pseudoinverseOf(s *bench.TableRow) float64 {
	if s.Retraining == nil {
		return nan
	}
	return s.Retraining.PseudoinverseSeconds
}

func weightsOf(s *bench.TableRow) float64 {
	if s.Retraining == nil {
		return nan
	}
	return s.Retraining.WeightsSeconds
}

// joinRuns collects the tables of all files by setting and place, in order of table. Of a step that is
// twice in a pass the later row counts. It leaves out tables of earlier files that were tested on
// held-out samples.
func joinRuns(files []*result.File) (all []*run) {
	type key struct {
		setting
		place
	}
	var runs ordered[key, run]
	for _, f := range files {
		for _, t := range f.Tables {
			if len(t.Rows) == 0 || t.HeldOut > 0 {
				continue
			}
			k := key{settingOf(t.TableHead), place{t.Machine.Conditions()}}
			r := runs.at(k)
			r.setting, r.place = k.setting, k.place
			r.methods = unique(append(r.methods, t.Methods...))
			r.passes = append(r.passes, passesOf(t)...)
		}
	}
	for _, r := range runs.all {
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(b.scale, a.scale))
	})
	return all
}

// passesOf returns the passes of a table. What a process measured after the states were rebuilt, as
// versions before this one did, is a pass of its own.
func passesOf(t result.Table) (all []*pass) {
	open := map[uint64]*pass{}
	for _, row := range t.Rows {
		p := open[row.Seed]
		if p == nil || row.Rebuilt {
			p = &pass{seed: row.Seed, steps: map[int]*bench.TableRow{}}
			open[row.Seed] = p
			all = append(all, p)
		}
		row.Cells = sharedStart(row)
		for _, c := range row.Cells {
			if c.Method == t.Planner {
				p.planner = c.Method
				c.Method = bench.PlannerSeries
				row.Cells = append(row.Cells, c)
			}
		}
		p.steps[row.Step] = &row
	}
	return all
}

// sharedStart returns the cells of a row. At the start it gives the forms of Original and Improved that
// start alike, by as many flops, the mean of their times: the difference is noise. Newer files have it
// done already.
func sharedStart(row bench.TableRow) []bench.TableCell {
	cells := slices.Clone(row.Cells)
	if row.Step > 0 {
		return cells
	}
	sums, counts := map[float64]float64{}, map[float64]float64{}
	alike := func(c bench.TableCell) bool { return base(c.Method) == "original" || base(c.Method) == "improved" }
	for _, c := range cells {
		if alike(c) {
			sums[c.FlopsModel] += c.Seconds
			counts[c.FlopsModel]++
		}
	}
	for i, c := range cells {
		if alike(c) {
			cells[i].Seconds = sums[c.FlopsModel] / counts[c.FlopsModel]
		}
	}
	return cells
}

// last returns the last step of the pass, or -1.
func (p *pass) last() int {
	last := -1
	for n := range p.steps {
		last = max(last, n)
	}
	return last
}

// sum returns the sum of a quantity over the steps from first to last, NaN where one is missing.
func (p *pass) sum(first, last int, q quantity) float64 {
	sum := 0.0
	for n := first; n <= last; n++ {
		s := p.steps[n]
		if s == nil {
			return nan
		}
		sum += q(s)
	}
	return sum
}

// base returns the method of a variant such as improved/small.
func base(method string) string {
	name, _, _ := strings.Cut(method, "/")
	return name
}

// improved returns the forms of Improved among the methods.
func (r *run) improved() []string {
	return slices.DeleteFunc(slices.Clone(r.methods), func(m string) bool { return base(m) != "improved" })
}

// planners returns what the planner chose, or "" where that was not run.
func (r *run) planners() string {
	var names []string
	for _, p := range r.passes {
		if p.planner != "" {
			names = append(names, p.planner)
		}
	}
	return strings.Join(unique(names), " or ")
}

// last returns the last step of any pass.
func (r *run) last() int {
	last := 0
	for _, p := range r.passes {
		last = max(last, p.last())
	}
	return last
}

// overPasses returns the median of a value of each pass, without those that are not finite.
func (r *run) overPasses(value func(*pass) float64) float64 {
	var all []float64
	for _, p := range r.passes {
		if v := value(p); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return median(all)
}

// median returns the median over the passes of the sum of a quantity over steps, or NaN.
func (r *run) median(first, last int, q quantity) float64 {
	return r.overPasses(func(p *pass) float64 { return p.sum(first, last, q) })
}

// ratio returns the median over the passes of the ratio of two sums of steps, or NaN.
func (r *run) ratio(first, last int, over, under quantity) float64 {
	return r.overPasses(func(p *pass) float64 { return p.sum(first, last, over) / p.sum(first, last, under) })
}

// ratios returns the ratio of two quantities for each update that has both.
func (r *run) ratios(over, under quantity) (all []float64) {
	for n := 1; n <= r.last(); n++ {
		if v := r.ratio(n, n, over, under); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}
