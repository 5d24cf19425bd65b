package report

import (
	"fmt"
	"slices"

	"blskernel/bench"
	"blskernel/bench/result"
)

// predictions are the updates on one backend at one place.
type predictions struct {
	backend string
	place
	versions
	costs []bench.Cost
}

func predictionSection(parts []*result.File, at places) section {
	sec := section{
		ID: "prediction", Title: "Predicted against measured time",
		Text: "The planner predicts the time of an update from its flops and the measured rates of the machine. Each point is an update of a " +
			"random model by one method and shape; on the diagonal the prediction is exact.",
	}
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
				groups = append(groups, &predictions{backend: c.Backend, place: here})
			}
			groups[i].versions.add(machineOf(f).Version)
			groups[i].costs = append(groups[i].costs, c)
		}
	}
	for _, g := range groups {
		f, finding := g.figure()
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding)
	}
	return sec
}

func (g *predictions) figure() (figure, string) {
	a := bench.Agree(g.costs)
	where := g.place.with(g.backend)
	percent := func(share float64) string { return fixed(100*share, 1) + "%" }
	finding := fmt.Sprintf("On %s the rates of the machine predict times to within %s in the median of %s, %s at the 95th percentile and %s at worst",
		where, percent(a.Median), count(a.Settings, "update", "updates"), percent(a.P95), percent(a.Worst))
	if a.Unequal == 0 {
		finding += "; the counted flops are those of the model in all of them."
	} else {
		finding += fmt.Sprintf("; in %d the counted flops are not those of the model.", a.Unequal)
	}
	p := &Plot{
		Name: slug("prediction " + g.backend), Title: "Predicted against measured time, " + where, About: finding,
		x: axis{label: "measured, s", log: true}, y: axis{label: "predicted, s", log: true},
	}
	t := table{
		Caption: "Predicted and measured times, " + where,
		Columns: []column{
			{Head: "method", Text: true}, {Head: "l"}, {Head: "k"}, {Head: "q"}, {Head: "c"}, {Head: "flops", Unit: "Gflop"},
			{Head: "predicted", Unit: "s"}, {Head: "measured", Unit: "s"}, {Head: "deviation", Unit: "%"},
		},
	}
	low, high := g.costs[0].Total.MeasuredSeconds, g.costs[0].Total.MeasuredSeconds
	var methods []series
	var l looks
	for _, c := range g.costs {
		predicted, measured := c.Total.PredictedSeconds, c.Total.MeasuredSeconds
		t.Rows = append(t.Rows, []string{
			c.Variant(), fmt.Sprint(c.L), fmt.Sprint(c.K), fmt.Sprint(c.Q), fmt.Sprint(c.C),
			significant(c.Total.Model / 1e9), significant(predicted), significant(measured), fmt.Sprintf("%+.1f", 100*c.Deviation()),
		})
		if predicted > 0 {
			low, high = min(low, predicted, measured), max(high, predicted, measured)
		}
		i := slices.IndexFunc(methods, func(s series) bool { return s.name == c.Method })
		if i < 0 {
			i = len(methods)
			methods = append(methods, l.method(c.Method))
			methods[i].style = pointsOnly
		}
		methods[i].add(measured, predicted)
	}
	p.x.least, p.x.most, p.y.least, p.y.most = low, high, low, high
	exact := series{name: "exact", ink: inkMuted, dash: 1, style: thinLine, x: []float64{low, high}, y: []float64{low, high}}
	p.series = append([]series{exact}, methods...)
	return figure{Title: where, Caption: finding + g.versions.note(), plot: p, Tables: []table{t}}, finding
}
