package report

import (
	"slices"

	"blskernel/bench"
)

// A pass is the steps of one seed of one table line: one after another, by one command or by one that
// went on with it. What is compared are times within a pass.
type pass struct {
	seed    uint64
	planner string // the planner's choice among the methods, or empty
	steps   map[int]*step
}

// A step is one row of a pass.
type step struct {
	samples    int
	features   float64 // seconds
	retraining *bench.Retraining
	cells      map[string]bench.TableCell
	planner    string
	rebuilt    bool // its states were built anew, after an interruption
}

// plannerMethod stands for the planner's choice in secondsOf and the like.
const plannerMethod = bench.PlannerSeries

// cell returns the cell of a method.
func (s *step) cell(method string) (bench.TableCell, bool) {
	if method == plannerMethod {
		method = s.planner
	}
	c, ok := s.cells[method]
	return c, ok
}

func (p *pass) add(row bench.TableRow) {
	s := p.steps[row.Step]
	if s == nil {
		s = &step{cells: map[string]bench.TableCell{}, planner: p.planner}
		p.steps[row.Step] = s
	}
	s.samples, s.features = row.Samples, row.FeatureSeconds
	s.rebuilt = s.rebuilt || row.Rebuilt
	if row.Retraining != nil {
		s.retraining = row.Retraining
	}
	for _, c := range row.Cells {
		s.cells[c.Method] = c
	}
}

// shareStart gives the forms of Original and Improved that start alike, by as many flops, the mean of
// what that took: what one of them was slower at a time is the machine's doing.
func (p *pass) shareStart() {
	s := p.steps[0]
	if s == nil {
		return
	}
	alike := map[float64][]string{}
	for m, c := range s.cells {
		if b := base(m); b == "original" || b == "improved" {
			alike[c.FlopsModel] = append(alike[c.FlopsModel], m)
		}
	}
	for _, methods := range alike {
		var seconds []float64
		for _, m := range methods {
			seconds = append(seconds, s.cells[m].Seconds)
		}
		slices.Sort(seconds) // the sum does not depend on the order of a map
		if slices.Min(seconds) == slices.Max(seconds) {
			continue
		}
		shared, _ := meanAndDeviation(seconds)
		for _, m := range methods {
			c := s.cells[m]
			c.Seconds = shared
			s.cells[m] = c
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

// sum returns the sum of what f says of the steps from first to last, if the pass has them all.
func (p *pass) sum(first, last int, f func(*step) (float64, bool)) (sum float64, whole bool) {
	for n := first; n <= last; n++ {
		s := p.steps[n]
		if s == nil {
			return 0, false
		}
		v, ok := f(s)
		if !ok {
			return 0, false
		}
		sum += v
	}
	return sum, first <= last
}

// rebuilt returns the first of the steps after first, up to last, before which the states were built
// anew, or 0. The times on both sides of it are of different processes, and the rebuilding is in none
// of them.
func (p *pass) rebuilt(first, last int) int {
	for n := first + 1; n <= last; n++ {
		if s := p.steps[n]; s != nil && s.rebuilt {
			return n
		}
	}
	return 0
}

// secondsOf returns the time of a step by a method, with its features.
func secondsOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cell(method)
		return c.Seconds, ok
	}
}

// updateOf returns the time of a step by a method, without its features.
func updateOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cell(method)
		return c.Seconds - s.features, ok
	}
}

// flopsOf returns the flops of a step by a method, by the model.
func flopsOf(method string) func(*step) (float64, bool) {
	return func(s *step) (float64, bool) {
		c, ok := s.cell(method)
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
