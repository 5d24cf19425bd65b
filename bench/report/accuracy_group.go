package report

import (
	"math"
	"slices"
)

// An accuracyGroup is the runs of one setting, at whatever place.
type accuracyGroup struct {
	setting
	methods []string
	samples map[int]int                           // by step
	values  map[string]map[int]map[uint64]float64 // by method, step and seed
	planner string
}

func accuracyGroups(runs []*run) []*accuracyGroup {
	var groups []*accuracyGroup
	for _, r := range runs {
		i := slices.IndexFunc(groups, func(g *accuracyGroup) bool { return g.setting == r.setting })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &accuracyGroup{
				setting: r.setting, planner: r.planners(), samples: map[int]int{}, values: map[string]map[int]map[uint64]float64{},
			})
		}
		for _, m := range r.methods {
			for _, p := range r.passes {
				groups[i].add(m, p)
			}
		}
	}
	return groups
}

// add adds what a pass has of a method.
func (g *accuracyGroup) add(method string, p *pass) {
	for n, s := range p.steps {
		c, ok := s.cells[method]
		if !ok || c.Accuracy == nil {
			continue
		}
		if g.values[method] == nil {
			g.methods = append(g.methods, method)
			g.values[method] = map[int]map[uint64]float64{}
		}
		if g.values[method][n] == nil {
			g.values[method][n] = map[uint64]float64{}
		}
		g.values[method][n][p.seed] = *c.Accuracy
		g.samples[n] = s.samples
	}
}

// seeds returns the number of seeds of a method's step.
func (g *accuracyGroup) seeds(method string) int {
	most := 0
	for _, v := range g.values[method] {
		most = max(most, len(v))
	}
	return most
}

// apart returns the largest difference of two methods at the same step with the same seed. ok is false where they
// have none in common.
func (g *accuracyGroup) apart(a, b string) (most float64, ok bool) {
	for n, of := range g.values[a] {
		for seed, v := range of {
			if w, both := g.values[b][n][seed]; both {
				most, ok = max(most, math.Abs(v-w)), true
			}
		}
	}
	return most, ok
}

// apartEnough is the difference in percent from which on a method has a curve of its own.
const apartEnough = 0.1

// covered tells whether one of the curves that are shown stands for a method, too.
func (g *accuracyGroup) covered(method string, shown []string) bool {
	return slices.ContainsFunc(shown, func(other string) bool {
		most, ok := g.apart(method, other)
		return ok && most <= apartEnough
	})
}

// steps returns the steps in order.
func (g *accuracyGroup) steps() []int {
	var steps []int
	for n := range g.samples {
		steps = append(steps, n)
	}
	slices.Sort(steps)
	return steps
}

// at returns the mean over the seeds, with the standard deviation, NaN where there is none.
func (g *accuracyGroup) at(method string, n int) (mean, deviation float64, ok bool) {
	of := g.values[method][n]
	if len(of) == 0 {
		return math.NaN(), math.NaN(), false
	}
	var all []float64
	for _, v := range of {
		all = append(all, v)
	}
	slices.Sort(all) // the sum does not depend on the order of a map
	mean, deviation = meanAndDeviation(all)
	return mean, deviation, true
}
