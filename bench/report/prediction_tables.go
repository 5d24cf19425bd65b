package report

import (
	"fmt"
	"slices"

	"blskernel/bench"
)

// tablePredictions are those of the updates of the paper's tables, by place. Where no update of a place has a
// prediction, which takes the rates of the machine, the flops are one.
func tablePredictions(runs []*run) []*predictions {
	var groups, flops []*predictions
	find := func(groups *[]*predictions, r *run, by string) *predictions {
		for _, g := range *groups {
			if g.place == r.place {
				return g
			}
		}
		g := &predictions{what: "updates of the paper's tables", by: by, backend: r.Backends, place: r.place}
		*groups = append(*groups, g)
		return g
	}
	for _, r := range runs {
		for _, p := range r.passes {
			for n := 1; n <= p.last(); n++ {
				s := p.steps[n]
				if s == nil {
					continue
				}
				for _, m := range r.methods {
					c, ok := s.cells[m]
					if !ok || !(c.Seconds > s.features) {
						continue
					}
					cost := bench.Cost{
						Backend: r.Backends, Method: m, L: s.samples - r.batch, K: r.nodes, Q: r.batch, C: r.targets,
						Total: bench.CostStep{Model: c.FlopsModel, Counted: c.FlopsCounted, PredictedSeconds: c.PredictedSeconds, MeasuredSeconds: c.Seconds - s.features},
					}
					name := fmt.Sprintf("%s, Table %d", m, r.table)
					if c.PredictedSeconds > 0 {
						g := find(&groups, r, byRates)
						g.versions.add(r.versions...)
						g.add(name, cost)
					} else if c.FlopsModel > 0 {
						g := find(&flops, r, "")
						g.versions.add(r.versions...)
						g.add(name, cost)
					}
				}
			}
		}
	}
	for _, g := range flops {
		if !slices.ContainsFunc(groups, func(other *predictions) bool { return other.place == g.place }) {
			g.predictByFlops()
			groups = append(groups, g)
		}
	}
	return groups
}

// predictByFlops predicts all updates at one rate, the median of theirs.
func (g *predictions) predictByFlops() {
	var rates []float64
	for _, c := range g.costs {
		rates = append(rates, c.Total.Model/c.Total.MeasuredSeconds)
	}
	rate := median(rates)
	g.by = fmt.Sprintf("the flops alone, at %s GFLOP/s,", significant(rate/1e9))
	for i := range g.costs {
		g.costs[i].Total.PredictedSeconds = g.costs[i].Total.Model / rate
	}
}
