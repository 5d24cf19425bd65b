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
func flopsSection(parts []*result.File) section {
	sec := section{
		ID: "flops", Title: "Flops of the steps, Table 1",
		Text: "The steps in which Improved differs from Original: flops by the formulas of the paper's Table 1, and flops counted at the " +
			"backend during an update. Fewer are counted where the backend uses symmetry.",
	}
	var cases []bench.FlopsCase
	for _, f := range parts {
		for _, c := range f.Flops {
			same := func(old bench.FlopsCase) bool {
				return old.L == c.L && old.K == c.K && old.Q == c.Q && old.Backend == c.Backend
			}
			cases = append(slices.DeleteFunc(cases, same), c) // the last count of a case stays
		}
	}
	for _, c := range cases {
		f, finding := flopsFigure(c)
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding)
	}
	return sec
}

func flopsFigure(c bench.FlopsCase) (figure, string) {
	sign := "≤"
	if c.Q > c.K {
		sign = ">"
	}
	where := fmt.Sprintf("l = %d, k = %d, q = %d %s k", c.L, c.K, c.Q, sign)
	t := table{
		Caption: "Flops of the steps, " + where,
		Columns: []column{
			{Head: "step", Text: true}, {Head: "Original: formula", Text: true}, {Head: "the paper", Unit: "Gflop"}, {Head: "counted", Unit: "Gflop"},
			{Head: "Improved: formula", Text: true}, {Head: "the paper", Unit: "Gflop"}, {Head: "counted", Unit: "Gflop"}, {Head: "Original / Improved, counted"},
		},
	}
	var fewer, more []string
	for _, s := range append(slices.Clone(c.Steps), bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
		row := []string{s.Step}
		for _, of := range []struct {
			method string
			bench.FlopsCount
		}{{"Original", s.Original}, {"Improved", s.Improved}} {
			row = append(row, cmp.Or(of.Formula, absent), significant(of.Paper/1e9), significant(of.Counted/1e9))
			says := fmt.Sprintf("%s by %s (%s of %s)", s.Step, of.method, times(of.Counted/of.Paper), of.Formula)
			switch {
			case s.Step == "all":
			case of.Counted < of.Paper:
				fewer = append(fewer, says)
			case of.Counted > of.Paper:
				more = append(more, says)
			}
		}
		t.Rows = append(t.Rows, append(row, times(s.Original.Counted/s.Improved.Counted)))
	}
	finding := fmt.Sprintf("At %s the steps take %s Gflop by Original and %s by Improved as counted, a ratio of %s; by the paper's formulas the ratio is %s.",
		where, significant(c.Original.Counted/1e9), significant(c.Improved.Counted/1e9), times(c.Original.Counted/c.Improved.Counted), times(c.Original.Paper/c.Improved.Paper))
	if len(fewer) == 0 && len(more) == 0 {
		finding += " All counts are those of the formulas."
	}
	if len(fewer) > 0 {
		finding += " Fewer are counted in " + list(fewer) + "."
	}
	if len(more) > 0 {
		finding += " More are counted in " + list(more) + "."
	}
	return figure{Title: strings.TrimSuffix(where+", "+c.Backend, ", "), Caption: finding, Tables: []table{t}}, finding
}
