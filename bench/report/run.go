package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bls"
)

// setting is what two runs of a table have to have in common for their rows to be of the same experiment.
type setting struct {
	table                                   int
	data                                    string
	scale, lambda, shrink                   float64
	initial, batch, updates, nodes, targets int
	heldOut                                 int
	whitened                                bool
}

func settingOf(h bench.TableHead) setting {
	return setting{
		table: h.Table, data: h.Data, scale: h.Scale, lambda: h.Lambda, shrink: h.Shrink,
		initial: h.Initial, batch: h.Batch, updates: h.Updates, nodes: h.Nodes, targets: h.Targets,
		heldOut: h.HeldOut, whitened: h.Whitened,
	}
}

// full tells whether the table is as large as the paper's.
func (s setting) full() bool { return s.scale == 1 || s.scale == 0 }

// paperLambda is the ridge of the paper's tables.
const paperLambda = 0x1p-30

// name names the table, with what is not as in the paper.
func (s setting) name() string {
	name := fmt.Sprintf("Table %d", s.table)
	if !s.full() {
		name += " at scale " + short(s.scale)
	}
	if s.lambda != 0 && s.lambda != paperLambda {
		name += ", lambda = " + short(s.lambda)
	}
	if s.shrink != 0 && s.shrink != bls.DefaultShrink {
		name += ", s = " + short(s.shrink)
	}
	if s.heldOut > 0 {
		name += fmt.Sprintf(" tested on %d training samples", s.heldOut)
	}
	return name
}

// A run is all that was measured of a table at one place: steps by seed, cells by method.
type run struct {
	setting
	place
	title   string
	planner string
	methods []string // in the order in which they came
	seeds   []uint64
	steps   map[stepKey]*step
}

type stepKey struct {
	seed uint64
	step int
}

// A step is one row, or what several rows say of it by different methods.
type step struct {
	samples    int
	features   float64 // seconds
	retraining *bench.Retraining
	cells      map[string]bench.TableCell
}

// joinRuns joins the tables of all files that are of the same setting and place, in order of table. Of a step that was measured
// twice by one method, with one seed, the later one counts.
func joinRuns(files []*result.File) []*run {
	type key struct {
		setting
		place
	}
	runs := map[key]*run{}
	var all []*run
	several := len(origins(files)) > 0
	for _, f := range files {
		for _, t := range f.Tables {
			if len(t.Rows) == 0 {
				continue
			}
			k := key{settingOf(t.TableHead), placeOf(t.Machine)}
			if several {
				k.shown = t.Machine.CPU
			}
			r := runs[k]
			if r == nil {
				r = &run{setting: k.setting, place: k.place, title: t.Title, steps: map[stepKey]*step{}}
				runs[k] = r
				all = append(all, r)
			}
			r.planner = cmp.Or(r.planner, t.Planner)
			for _, row := range t.Rows {
				r.add(row)
			}
			for _, m := range t.Methods {
				if !slices.Contains(r.methods, m) {
					r.methods = append(r.methods, m)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(b.scale, a.scale))
	})
	return all
}

func (r *run) add(row bench.TableRow) {
	if !slices.Contains(r.seeds, row.Seed) {
		r.seeds = append(r.seeds, row.Seed)
	}
	k := stepKey{row.Seed, row.Step}
	s := r.steps[k]
	if s == nil {
		s = &step{cells: map[string]bench.TableCell{}}
		r.steps[k] = s
	}
	s.samples, s.features = row.Samples, row.FeatureSeconds
	if row.Retraining != nil {
		s.retraining = row.Retraining
	}
	for _, c := range row.Cells {
		s.cells[c.Method] = c
	}
}

// base returns the method of a variant such as improved/small.
func base(method string) string {
	name, _, _ := strings.Cut(method, "/")
	return name
}

// variants returns the methods that are the given one in some form.
func (r *run) variants(method string) []string {
	var of []string
	for _, m := range r.methods {
		if base(m) == method {
			of = append(of, m)
		}
	}
	return of
}

// last returns the last step that any seed has.
func (r *run) last() int {
	last := 0
	for k := range r.steps {
		last = max(last, k.step)
	}
	return last
}

// samples returns l after a step, or 0 where none has it.
func (r *run) samples(n int) int {
	for _, seed := range r.seeds {
		if s := r.steps[stepKey{seed, n}]; s != nil {
			return s.samples
		}
	}
	return 0
}

// each returns, over the seeds, what f says of a step, where it says anything.
func (r *run) each(n int, f func(*step) (float64, bool)) []float64 {
	var all []float64
	for _, seed := range r.seeds {
		if s := r.steps[stepKey{seed, n}]; s != nil {
			if v, ok := f(s); ok {
				all = append(all, v)
			}
		}
	}
	return all
}

// sums returns, over the seeds that have all of the steps from first to last, the sum of what f says of them.
func (r *run) sums(first, last int, f func(*step) (float64, bool)) map[uint64]float64 {
	all := map[uint64]float64{}
	for _, seed := range r.seeds {
		sum, whole := 0.0, first <= last
		for n := first; n <= last; n++ {
			s := r.steps[stepKey{seed, n}]
			if s == nil {
				whole = false
				break
			}
			v, ok := f(s)
			whole = whole && ok
			sum += v
		}
		if whole {
			all[seed] = sum
		}
	}
	return all
}

// medianSum returns the median over the seeds of sums, or NaN.
func (r *run) medianSum(first, last int, f func(*step) (float64, bool)) float64 {
	var all []float64
	for _, v := range r.sums(first, last, f) {
		all = append(all, v)
	}
	return median(all)
}

// medianRatio returns the median over the seeds of the ratio of two sums of steps, or NaN.
func (r *run) medianRatio(first, last int, over, under func(*step) (float64, bool)) float64 {
	of, by := r.sums(first, last, over), r.sums(first, last, under)
	var all []float64
	for seed, v := range of {
		if w, ok := by[seed]; ok && w > 0 {
			all = append(all, v/w)
		}
	}
	return median(all)
}

// secondsOf returns the time of a step by a method, with its features.
func secondsOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cells[method]
		return c.Seconds, ok
	}
}

// updateOf returns the time of a step by a method, without its features.
func updateOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cells[method]
		return c.Seconds - s.features, ok
	}
}

// flopsOf returns the flops of a step by a method, by the model.
func flopsOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cells[method]
		return c.FlopsModel, ok
	}
}

func featuresOf(s *step) (float64, bool) { return s.features, true }

func pseudoinverseOf(s *step) (float64, bool) {
	if s.retraining == nil {
		return 0, false
	}
	return s.retraining.PseudoinverseSeconds, true
}

func weightsOf(s *step) (float64, bool) {
	if s.retraining == nil {
		return 0, false
	}
	return s.retraining.WeightsSeconds, true
}

// missing says which steps a run does not have since it was interrupted, or nothing.
func (r *run) missing() string {
	var short []string
	for _, seed := range r.seeds {
		last := -1
		for k := range r.steps {
			if k.seed == seed {
				last = max(last, k.step)
			}
		}
		if last < r.updates {
			short = append(short, fmt.Sprintf("seed %d ends after update %d of %d", seed, last, r.updates))
		}
	}
	if len(short) == 0 {
		return ""
	}
	return "This run was interrupted: " + list(short) + "."
}
