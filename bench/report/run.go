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

// A pass is the steps of one seed of one table line: one after another, by one command or by one that
// continued it. Ratios are of times within a pass.
type pass struct {
	seed    uint64
	planner string // the planner's choice among the methods, or empty
	steps   map[int]*step
}

// A step is one row of a pass.
type step struct {
	bench.TableRow
	planner string
}

// A quantity is a measurement of a step, NaN where it is missing.
type quantity func(*step) float64

// cell returns a quantity that has the value of a method's cell. The method may be bench.PlannerSeries.
func cell(method string, value func(*step, bench.TableCell) float64) quantity {
	return func(s *step) float64 {
		of := method
		if of == bench.PlannerSeries {
			of = s.planner
		}
		for _, c := range s.Cells {
			if c.Method == of {
				return value(s, c)
			}
		}
		return math.NaN()
	}
}

// secondsOf is the time of a step by a method, with its features.
func secondsOf(method string) quantity {
	return cell(method, func(_ *step, c bench.TableCell) float64 { return c.Seconds })
}

// updateOf is the time of a step by a method, without its features.
func updateOf(method string) quantity {
	return cell(method, func(s *step, c bench.TableCell) float64 { return c.Seconds - s.FeatureSeconds })
}

// flopsOf is the flops of a step by a method, by the model.
func flopsOf(method string) quantity {
	return cell(method, func(_ *step, c bench.TableCell) float64 { return c.FlopsModel })
}

func featuresOf(s *step) float64 { return s.FeatureSeconds }

func pseudoinverseOf(s *step) float64 {
	if s.Retraining == nil {
		return math.NaN()
	}
	return s.Retraining.PseudoinverseSeconds
}

func weightsOf(s *step) float64 {
	if s.Retraining == nil {
		return math.NaN()
	}
	return s.Retraining.WeightsSeconds
}

// joinRuns collects the tables of all files by setting and place, in order of table. Each table line
// and seed is a pass of its own, unless it continues one above it in the same file, so that no ratio
// is of times of two runs. Of a step that was measured twice in a pass the later row counts. Tables
// that were tested on held-out samples are left out.
func joinRuns(files []*result.File) []*run {
	type key struct {
		setting
		place
	}
	var runs ordered[key, run]
	for _, f := range files {
		type series struct {
			key
			seed uint64
		}
		open := map[series]*pass{} // the last passes in this file
		for _, t := range f.Tables {
			if len(t.Rows) == 0 || t.HeldOut > 0 {
				continue
			}
			k := key{settingOf(t.TableHead), place{t.Machine.Conditions()}}
			r := runs.at(k)
			r.setting, r.place = k.setting, k.place
			r.methods = unique(append(r.methods, t.Methods...))
			seen := map[uint64]bool{}
			for _, row := range t.Rows {
				p := open[series{k, row.Seed}]
				if p == nil || !seen[row.Seed] && row.Step <= p.last() {
					p = &pass{seed: row.Seed, steps: map[int]*step{}}
					if slices.Contains(t.Methods, t.Planner) {
						p.planner = t.Planner
					}
					open[series{k, row.Seed}] = p
					r.passes = append(r.passes, p)
				}
				seen[row.Seed] = true
				p.steps[row.Step] = &step{row, p.planner}
			}
		}
	}
	var all []*run
	for _, r := range runs.all {
		for _, p := range r.passes {
			p.shareStart()
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(b.scale, a.scale))
	})
	return all
}

// shareStart gives the forms of Original and Improved that start alike, by as many flops, the mean of
// their times: the difference is noise. Newer files have it done already.
func (p *pass) shareStart() {
	s := p.steps[0]
	if s == nil {
		return
	}
	sums, counts := map[float64]float64{}, map[float64]float64{}
	alike := func(c bench.TableCell) bool { return base(c.Method) == "original" || base(c.Method) == "improved" }
	for _, c := range s.Cells {
		if alike(c) {
			sums[c.FlopsModel] += c.Seconds
			counts[c.FlopsModel]++
		}
	}
	s.Cells = slices.Clone(s.Cells)
	for i, c := range s.Cells {
		if alike(c) {
			s.Cells[i].Seconds = sums[c.FlopsModel] / counts[c.FlopsModel]
		}
	}
}

// last returns the last step of the pass, or -1.
func (p *pass) last() int {
	last := -1
	for n := range p.steps {
		last = max(last, n)
	}
	return last
}

// sum returns the sum of a quantity over the steps from first to last. It is NaN where one is missing,
// or where the states were rebuilt in between: the times before and after are of two processes.
func (p *pass) sum(first, last int, q quantity) float64 {
	sum := 0.0
	for n := first; n <= last; n++ {
		s := p.steps[n]
		if s == nil || n > first && s.Rebuilt {
			return math.NaN()
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

// variants returns the methods that are the given one in some form.
func (r *run) variants(method string) []string {
	return slices.DeleteFunc(slices.Clone(r.methods), func(m string) bool { return base(m) != method })
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

// median returns the median over the passes of the sum of a quantity over steps, or NaN.
func (r *run) median(first, last int, q quantity) float64 {
	var all []float64
	for _, p := range r.passes {
		if v := p.sum(first, last, q); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return median(all)
}

// ratio returns the median over the passes of the ratio of two sums of steps, or NaN.
func (r *run) ratio(first, last int, over, under quantity) float64 {
	var all []float64
	for _, p := range r.passes {
		if v := p.sum(first, last, over) / p.sum(first, last, under); v >= 0 && !math.IsInf(v, 1) {
			all = append(all, v)
		}
	}
	return median(all)
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
