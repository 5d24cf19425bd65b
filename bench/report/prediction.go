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

// A predictions is updates of one kind on one backend at one place.
type predictions struct {
	what    string // that were predicted
	by      string // what they were predicted by
	backend string
	place
	versions
	costs []bench.Cost
	names []string // of the rows of costs
}

// add adds an update.
func (g *predictions) add(name string, c bench.Cost) {
	g.costs = append(g.costs, c)
	g.names = append(g.names, name)
}

const byRates = "the rates of the machine"

func predictionSection(parts []*result.File, runs []*run, at places) section {
	sec := section{
		ID: "prediction", Title: "Predicted against measured time",
		Text: "The planner predicts the time of an update from its flops and the measured rates of the machine. Each point is an update of one method and shape, without features; on the diagonal the prediction is exact.",
	}
	groups := append(settingPredictions(parts, at), tablePredictions(runs)...)
	for _, g := range groups {
		f, finding := g.figure()
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding)
	}
	sums := table{
		Caption: "Agreement as it was summed up",
		Columns: []column{{Head: "backend", Text: true}, {Head: "settings"}, {Head: "median", Unit: "%"}, {Head: "95th percentile", Unit: "%"}, {Head: "worst", Unit: "%"}, {Head: "settings with other flops"}},
	}
	for _, f := range parts {
		for _, a := range f.Agreements {
			name := at.of(machineOf(f)).with(a.Backend)
			sums.Rows = append(sums.Rows, []string{name, fmt.Sprint(a.Settings), fixed(100*a.Median, 1), fixed(100*a.P95, 1), fixed(100*a.Worst, 1), fmt.Sprint(a.Unequal)})
		}
	}
	if len(sums.Rows) > 0 {
		sec.Figures = append(sec.Figures, figure{Title: "Agreement", Caption: "How far predicted times are from measured ones, as a share of the latter.", Tables: []table{sums}})
	}
	return sec
}

// settingPredictions are those of a grid of settings, each of which was measured several times.
func settingPredictions(parts []*result.File, at places) []*predictions {
	var groups []*predictions
	for _, f := range parts {
		here := at.of(machineOf(f))
		for _, c := range f.Costs {
			if !(c.Total.MeasuredSeconds > 0) {
				continue
			}
			i := slices.IndexFunc(groups, func(g *predictions) bool { return g.backend == c.Backend && g.place == here })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &predictions{what: "updates of random models", by: byRates, backend: c.Backend, place: here})
			}
			groups[i].versions.add(machineOf(f).Version)
			groups[i].add(variantName(c.Method, c.Form, c.Solve), c)
		}
	}
	return groups
}

func (g *predictions) figure() (figure, string) {
	a := bench.Agree(g.costs)
	where := g.place.with(g.backend)
	finding := fmt.Sprintf("Times of %s on %s are predicted by %s to within %s%% in the median of %s, %s%% at the 95th percentile and %s%% at worst",
		g.what, where, g.by, fixed(100*a.Median, 1), count(a.Settings, "update", "updates"), fixed(100*a.P95, 1), fixed(100*a.Worst, 1))
	if a.Unequal == 0 {
		finding += "; the flops that were counted are those of the model in all of them."
	} else {
		finding += fmt.Sprintf("; in %d the flops that were counted are not those of the model.", a.Unequal)
	}
	p := &Plot{
		Name: slug("prediction " + g.what + " " + g.backend), Title: "Predicted against measured time, " + g.what + ", " + where, About: finding,
		x: axis{label: "measured, s", log: true}, y: axis{label: "predicted, s", log: true},
	}
	t := table{
		Caption: "Predicted and measured times of " + g.what + ", " + where,
		Columns: []column{{Head: "method", Text: true}, {Head: "l"}, {Head: "k"}, {Head: "q"}, {Head: "c"}, {Head: "flops", Unit: "Gflop"}, {Head: "predicted", Unit: "s"}, {Head: "measured", Unit: "s"}, {Head: "deviation", Unit: "%"}},
	}
	low, high := g.costs[0].Total.MeasuredSeconds, g.costs[0].Total.MeasuredSeconds
	var methods []*series
	var l looks
	for n, c := range g.costs {
		predicted, measured := c.Total.PredictedSeconds, c.Total.MeasuredSeconds
		t.Rows = append(t.Rows, []string{
			g.names[n], fmt.Sprint(c.L), fmt.Sprint(c.K), fmt.Sprint(c.Q), fmt.Sprint(c.C),
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
	return figure{Title: sentence(g.what) + ", " + where, Caption: finding + g.versions.note(), plot: p, Tables: []table{t}}, finding
}
