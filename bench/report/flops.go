package report

import (
	"fmt"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// flopsSection is the paper's Table 1. Counts do not depend on the machine.
func flopsSection(files []*result.File) Section {
	sec := Section{
		Title: "Flops of the steps, Table 1",
		Text: `The steps in which Improved differs from Original: flops by the formulas of the paper's Table 1, and
flops counted at the backend during an update.`,
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
		Columns: []string{"Gflop", "Original", "by formula", "counted", "Improved", "by formula", "counted", "Original / Improved, counted"},
	}
	counts := func(f bench.FlopsCount) []string {
		return []string{orAbsent(f.Formula), significant(f.Paper / 1e9), significant(f.Counted / 1e9)}
	}
	for _, s := range append(slices.Clone(c.Steps), bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
		t.Rows = append(t.Rows, slices.Concat([]string{s.Step}, counts(s.Original), counts(s.Improved),
			[]string{times(s.Original.Counted / s.Improved.Counted)}))
	}
	return t
}

// shortUpdate is the time in seconds below which updates have figures of their own: there a call, a
// worker that wakes up or a line that left the cache are a part of the time.
const shortUpdate = 0.0005

// PredictionSection compares the predicted with the measured times of the updates in files, by command
// and backend.
func PredictionSection(files []*result.File) Section {
	sec := Section{
		Title: "Predicted against measured time",
		Text: `The planner predicts the time of an update from its flops and the measured rates of the machine. The
table has how far off it is in updates of random models of several shapes, and in how many of them
the counted flops are those of the model.`,
	}
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
	for k, costs := range groups.all {
		t := Table{
			Title:   where(k.machine, k.backend, threadsOf(k.machine)),
			Columns: []string{"deviation, %", "updates", "median", "95th percentile", "worst", "flops as by the model"},
		}
		var methods ordered[string, []bench.Cost]
		for _, c := range *costs {
			of := methods.at(c.Variant())
			*of = append(*of, c)
		}
		for _, c := range *costs {
			all := methods.at("all of at least 0.5 ms")
			if c.Total.MeasuredSeconds < shortUpdate {
				all = methods.at("all below 0.5 ms")
			}
			*all = append(*all, c)
		}
		for name, of := range methods.all {
			a := bench.Agree(*of)
			t.Rows = append(t.Rows, []string{name, fmt.Sprint(a.Settings), fixed(100*a.Median, 1), fixed(100*a.P95, 1), fixed(100*a.Worst, 1),
				fmt.Sprint(a.Settings - a.Unequal)})
		}
		sec.Tables = append(sec.Tables, t)
	}
	return sec
}
