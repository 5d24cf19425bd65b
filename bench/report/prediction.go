package report

import (
	"fmt"
	"slices"

	"blskernel/bench"
	"blskernel/bench/result"
)

// variantName names a method with its form, where that is not the cheapest by itself, and solve.
func variantName(method, form string, solve bool) string {
	if form != "" && form != "auto" {
		method += "/" + form
	}
	if solve {
		method += "/solve"
	}
	return method
}

func predictionSection(files []*result.File) section {
	sec := section{
		ID: "prediction", Title: "Predicted against measured time",
		Text: []string{"The planner predicts the time of an update from its flops and the rates of the machine. Each point is an update of one method and shape; on the diagonal the prediction is exact."},
	}
	of := origins(files)
	type group struct {
		backend, origin string
		costs           []bench.Cost
	}
	var groups []*group
	find := func(backend, origin string) *group {
		for _, g := range groups {
			if g.backend == backend && g.origin == origin {
				return g
			}
		}
		groups = append(groups, &group{backend: backend, origin: origin})
		return groups[len(groups)-1]
	}
	for _, f := range files {
		for _, c := range f.Costs {
			if c.Total.MeasuredSeconds > 0 {
				g := find(c.Backend, of[f])
				g.costs = append(g.costs, c)
			}
		}
	}
	for _, g := range groups {
		f, finding := predictionFigure(g.backend, g.origin, g.costs)
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding)
	}
	sums := table{
		Caption: "Agreement as it was summed up",
		Columns: []column{{Head: "backend", Text: true}, {Head: "settings"}, {Head: "median", Unit: "%"}, {Head: "95th percentile", Unit: "%"}, {Head: "worst", Unit: "%"}, {Head: "settings with other flops"}},
	}
	for _, f := range files {
		for _, a := range f.Agreements {
			sums.Rows = append(sums.Rows, []string{a.Backend, fmt.Sprint(a.Settings), fixed(100*a.Median, 1), fixed(100*a.P95, 1), fixed(100*a.Worst, 1), fmt.Sprint(a.Unequal)})
		}
	}
	if len(sums.Rows) > 0 {
		sec.Figures = append(sec.Figures, figure{Title: "Agreement", Caption: "How far predicted times are from measured ones, as a share of the latter.", Tables: []table{sums}})
	}
	return sec
}

func predictionFigure(backend, origin string, costs []bench.Cost) (figure, string) {
	a := bench.Agree(costs)
	finding := fmt.Sprintf("Times of updates are predicted on %s%s to within %s%% in the median of %s, %s%% at the 95th percentile and %s%% at worst",
		backend, on(origin), fixed(100*a.Median, 1), count(a.Settings, "setting", "settings"), fixed(100*a.P95, 1), fixed(100*a.Worst, 1))
	if a.Unequal == 0 {
		finding += "; the flops that were counted are those of the model in all of them."
	} else {
		finding += fmt.Sprintf("; in %d the flops that were counted are not those of the model.", a.Unequal)
	}
	p := &Plot{
		Name: slug("prediction " + backend), Title: "Predicted against measured time, " + backend, About: finding,
		x: axis{label: "measured, s", log: true}, y: axis{label: "predicted, s", log: true},
	}
	t := table{
		Caption: "Predicted and measured times of updates, " + backend + on(origin),
		Columns: []column{{Head: "method", Text: true}, {Head: "l"}, {Head: "k"}, {Head: "q"}, {Head: "c"}, {Head: "flops", Unit: "Gflop"}, {Head: "predicted", Unit: "s"}, {Head: "measured", Unit: "s"}, {Head: "deviation", Unit: "%"}},
	}
	low, high := costs[0].Total.MeasuredSeconds, costs[0].Total.MeasuredSeconds
	var methods []*series
	var l looks
	for _, c := range costs {
		predicted, measured := c.Total.PredictedSeconds, c.Total.MeasuredSeconds
		t.Rows = append(t.Rows, []string{
			variantName(c.Method, c.Form, c.Solve), fmt.Sprint(c.L), fmt.Sprint(c.K), fmt.Sprint(c.Q), fmt.Sprint(c.C),
			significant(c.Total.Model / 1e9), significant(predicted), significant(measured), fmt.Sprintf("%+.1f", 100*c.Deviation()),
		})
		if predicted > 0 {
			low, high = min(low, predicted, measured), max(high, predicted, measured)
		}
		i := slices.IndexFunc(methods, func(s *series) bool { return s.name == c.Method })
		if i < 0 {
			i = len(methods)
			s := l.method(c.Method)
			s.style = pointsOnly
			methods = append(methods, &s)
		}
		methods[i].add(measured, predicted)
	}
	p.x.least, p.x.most = low, high
	p.y.least, p.y.most = low, high
	p.series = append(p.series, series{name: "exact", ink: inkMuted, dash: 1, style: thinLine, x: []float64{low, high}, y: []float64{low, high}})
	for _, s := range methods {
		p.series = append(p.series, *s)
	}
	return figure{Title: backend + on(origin), Caption: finding, plot: p, Tables: []table{t}}, finding
}
