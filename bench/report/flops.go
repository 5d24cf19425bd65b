package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// flopsSection is the paper's Table 1. Counts do not depend on the machine.
func flopsSection(parts []*result.File) Section {
	sec := Section{
		Title: "Flops of the steps, Table 1",
		Text: "The steps in which Improved differs from Original: flops by the formulas of " +
			"the paper's Table 1, and flops counted at the backend during an update.",
	}
	type key struct {
		backend string
		l, k, q int
	}
	var cases ordered[key, bench.FlopsCase]
	for _, f := range parts {
		for _, c := range f.Flops {
			*cases.at(key{c.Backend, c.L, c.K, c.Q}) = c // the last count of a case stays
		}
	}
	for _, c := range cases.all {
		f, finding := flopsFigure(*c)
		sec.Figures, sec.Findings = append(sec.Figures, f), append(sec.Findings, finding)
	}
	return sec
}

func flopsFigure(c bench.FlopsCase) (Figure, string) {
	sign := "≤"
	if c.Q > c.K {
		sign = ">"
	}
	where := fmt.Sprintf("l = %d, k = %d, q = %d %s k", c.L, c.K, c.Q, sign)
	t := Table{Columns: []string{
		"Gflop", "Original", "by formula", "counted", "Improved", "by formula", "counted", "Original / Improved, counted",
	}}
	counts := func(f bench.FlopsCount) []string {
		return []string{cmp.Or(f.Formula, absent), significant(f.Paper / 1e9), significant(f.Counted / 1e9)}
	}
	differ := 0
	for _, s := range append(slices.Clone(c.Steps), bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
		t.Rows = append(t.Rows, slices.Concat([]string{s.Step}, counts(s.Original), counts(s.Improved),
			[]string{times(s.Original.Counted / s.Improved.Counted)}))
		for _, f := range []bench.FlopsCount{s.Original, s.Improved} {
			if f.Counted != f.Paper && s.Step != "all" {
				differ++
			}
		}
	}
	finding := fmt.Sprintf("At %s the steps take %s Gflop by Original and %s by Improved as "+
		"counted, a ratio of %s; by the paper's formulas the ratio is %s. ",
		where, significant(c.Original.Counted/1e9), significant(c.Improved.Counted/1e9),
		times(c.Original.Counted/c.Improved.Counted), times(c.Original.Paper/c.Improved.Paper))
	if differ == 0 {
		finding += "All counts are those of the formulas."
	} else {
		finding += count(differ, "count") + map[bool]string{true: " differs", false: " differ"}[differ == 1] + " from the formulas."
	}
	return Figure{Title: strings.TrimSuffix(where+", "+c.Backend, ", "), Table: t}, finding
}

// predictionSection compares the predicted with the measured times of updates, by backend and place.
func predictionSection(parts []*result.File) Section {
	sec := Section{
		Title: "Predicted against measured time",
		Text: "The planner predicts the time of an update from its flops and the measured " +
			"rates of the machine. The table has how far off it is in updates of random " +
			"models of several shapes.",
	}
	type key struct {
		place
		backend string
	}
	var groups ordered[key, []bench.Cost]
	for _, f := range parts {
		for _, c := range f.Costs {
			if c.Total.MeasuredSeconds > 0 {
				g := groups.at(key{placeOf(f), c.Backend})
				*g = append(*g, c)
			}
		}
	}
	for k, g := range groups.all {
		f, finding := predictionFigure(k.place.with(k.backend), *g)
		sec.Figures, sec.Findings = append(sec.Figures, f), append(sec.Findings, finding)
	}
	return sec
}

func predictionFigure(where string, costs []bench.Cost) (Figure, string) {
	a := bench.Agree(costs)
	percent := func(share float64) string { return fixed(100*share, 1) + "%" }
	finding := fmt.Sprintf("On %s the rates of the machine predict times to within %s in the "+
		"median of %s, %s at the 95th percentile and %s at worst; the counted flops are "+
		"those of the model in %d of them.",
		where, percent(a.Median), count(a.Settings, "update"),
		percent(a.P95), percent(a.Worst), a.Settings-a.Unequal)
	t := Table{Columns: []string{"deviation, %", "updates", "median", "95th percentile", "worst"}}
	var methods ordered[string, []bench.Cost]
	for _, c := range costs {
		of := methods.at(c.Variant())
		*of = append(*of, c)
	}
	for name, of := range methods.all {
		a := bench.Agree(*of)
		t.Rows = append(t.Rows, []string{
			name, fmt.Sprint(a.Settings), fixed(100*a.Median, 1), fixed(100*a.P95, 1), fixed(100*a.Worst, 1),
		})
	}
	return Figure{Title: where, Table: t}, finding
}
