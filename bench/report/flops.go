package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/internal/io/names"
)

// flopsSection returns the section on the paper's Table 1. Flops do not depend on the machine.
func flopsSection(files []*result.File) Section {
	sec := Section{
		Title: "Flops of the steps, Table 1",
		Text: `The steps of the paper's Table 1: flops by its formulas, flops counted by the backend during an
update, and the factor between the two methods, which is (q/k)³/2, ql/(2k²) and q/k in three steps for
q > k, and l/k in one step for q ≤ k.`,
	}
	for _, f := range files {
		for _, c := range f.Flops {
			sec.Tables = append(sec.Tables, flopsTable(c.Value))
		}
	}
	return sec
}

func flopsTable(c bench.FlopsCase) Table {
	sign := "≤"
	if c.Q > c.K {
		sign = ">"
	}
	t := Table{
		Title:   strings.TrimSuffix(fmt.Sprintf("l = %d, k = %d, q = %d %s k, %s", c.L, c.K, c.Q, sign, c.Backend), ", "),
		Columns: []string{"Gflop", "Original", "by formula", "counted", "Improved", "by formula", "counted", "factor", "by formula", "counted"},
	}
	counts := func(f bench.FlopsCount) []string {
		return []string{orAbsent(f.Formula), significant(f.Paper / 1e9), significant(f.Counted / 1e9)}
	}
	for _, s := range append(slices.Clone(c.Steps), bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
		formula, factor := c.Factor(s.Step)
		if s.Step == "all" {
			factor = s.Original.Paper / s.Improved.Paper
		}
		t.Rows = append(t.Rows, slices.Concat([]string{s.Step}, counts(s.Original), counts(s.Improved),
			[]string{orAbsent(formula), times(factor), times(s.Original.Counted / s.Improved.Counted)}))
	}
	return t
}

// shortUpdate is the time in seconds below which updates are reported separately: call overhead, worker
// wake-ups and cache misses take a noticeable share of shorter updates.
const shortUpdate = 0.0005

// longUpdates is the name of the row for all other updates.
const longUpdates = "all of at least 0.5 ms"

// PredictionSection returns the comparison of predicted and measured times, by command and backend.
func PredictionSection(files []*result.File) Section {
	sec := Section{
		Title: "Predicted against measured time",
		Text: `The planner predicts the time of an update from its flops and the measured rates of the machine. The
table shows the errors for updates of random models of several shapes, and the number of updates whose
counted flops equal the model's. The target on pure is 5% at the median and 15% at the 95th percentile.`,
	}
	var reached []string
	type key struct {
		machine *result.Machine
		backend string
	}
	var groups ordered[key, []bench.Cost]
	for _, f := range files {
		for _, c := range f.Costs {
			if c.Value.Total.MeasuredSeconds > 0 {
				g := groups.at(key{c.Machine, c.Value.Backend})
				*g = append(*g, c.Value)
			}
		}
	}
	plot := &Plot{Name: "predicted", X: Axis{Label: "measured seconds of an update", Log: true}, Y: Axis{Label: "predicted seconds", Log: true}}
	var ends []float64
	within, all := 0, 0
	for _, e := range groups {
		k, costs := e.key, e.value
		s := Series{Name: where(&result.Machine{Kernel: k.machine.Kernel}, k.backend, threadsOf(k.machine))}
		for _, c := range costs {
			s.Points, ends, all = append(s.Points, Point{X: c.Total.MeasuredSeconds, Y: c.Total.PredictedSeconds}), append(ends, c.Total.MeasuredSeconds), all+1
			if math.Abs(c.Deviation()) <= 0.15 {
				within++
			}
		}
		plot.Series = append(plot.Series, s)
		t := Table{
			Title:   where(k.machine, k.backend, threadsOf(k.machine)),
			Columns: []string{"deviation, %", "updates", "median", "95th percentile", "worst", "flops equal the model's"},
		}
		var methods ordered[string, []bench.Cost]
		for _, c := range costs {
			of := methods.at(c.Variant())
			*of = append(*of, c)
		}
		for _, c := range costs {
			all := methods.at(longUpdates)
			if c.Total.MeasuredSeconds < shortUpdate {
				all = methods.at("all below 0.5 ms")
			}
			*all = append(*all, c)
		}
		for _, e := range methods {
			name, a := e.key, bench.Agree(e.value)
			if name == longUpdates {
				reached = append(reached, fmt.Sprintf("%s%% at the median and %s%% at the 95th percentile on %s",
					names.Fixed(100*a.Median, 1), names.Fixed(100*a.P95, 1), t.Title))
			}
			t.Rows = append(t.Rows, []string{name, fmt.Sprint(a.Settings), names.Fixed(100*a.Median, 1), names.Fixed(100*a.P95, 1), names.Fixed(100*a.Worst, 1),
				fmt.Sprint(a.Settings - a.Unequal)})
		}
		sec.Tables = append(sec.Tables, t)
	}
	if len(reached) > 0 {
		sec.meaning = []string{"The planner predicts the times of updates of at least 0.5 ms to within " + strings.Join(reached, "; within ") + "."}
	}
	if all > 0 {
		low, high := slices.Min(ends), slices.Max(ends)
		for _, factor := range []float64{1, 1.15, 0.85} {
			plot.Series = append(plot.Series, Series{Name: fmt.Sprintf("%.2f times the measured time", factor), Line: true, Bare: true,
				Points: []Point{{X: low, Y: float64(factor * low)}, {X: high, Y: float64(factor * high)}}})
		}
		plot.Title = fmt.Sprintf("%d of %d predicted times of updates are within 15%% of the measured ones", within, all)
		sec.Plots = []*Plot{plot}
	}
	return sec
}
