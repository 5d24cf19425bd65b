package report

import (
	"fmt"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// flopsSection is the paper's Table 1: counts, which do not depend on the machine.
func flopsSection(parts []*result.File) section {
	sec := section{
		ID: "flops", Title: "Flops of the steps, Table 1",
		Text: "The steps in which Improved differs from Original: flops by the formulas of the paper's Table 1, and flops counted at the backend during an update. Fewer are counted where the backend uses symmetry.",
	}
	var cases []bench.FlopsCase
	for _, f := range parts {
		for _, c := range f.Flops {
			same := func(old bench.FlopsCase) bool {
				return old.L == c.L && old.K == c.K && old.Q == c.Q && old.Backend == c.Backend
			}
			cases = append(slices.DeleteFunc(cases, same), c) // what was counted again counts
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
	where := fmt.Sprintf("l = %d, k = %d, q = %d %s k, %s", c.L, c.K, c.Q, sign, c.Backend)
	p := &Plot{
		Name: slug("flops " + where), Title: "Flops of the steps, " + where,
		x: axis{label: "step", nominal: []string{}}, y: axis{label: "Gflop", log: true},
	}
	t := table{
		Caption: "Flops of the steps, " + where,
		Columns: []column{
			{Head: "step", Text: true}, {Head: "Original: formula", Text: true}, {Head: "the paper", Unit: "Gflop"}, {Head: "counted", Unit: "Gflop"},
			{Head: "Improved: formula", Text: true}, {Head: "the paper", Unit: "Gflop"}, {Head: "counted", Unit: "Gflop"}, {Head: "Original / Improved, counted"},
		},
	}
	drawn := []series{
		{name: "Original, the paper", ink: inkVermillion, marker: 1, style: pointsOnly},
		{name: "Original, counted", ink: inkVermillion, marker: 6, style: pointsOnly},
		{name: "Improved, the paper", ink: inkBlue, marker: 0, style: pointsOnly},
		{name: "Improved, counted", ink: inkBlue, marker: 5, style: pointsOnly},
	}
	row := func(step string, original, improved bench.FlopsCount) {
		tick, _, _ := strings.Cut(step, " ") // all of it has no room
		p.x.nominal = append(p.x.nominal, tick)
		at := float64(len(p.x.nominal))
		for i, v := range []float64{original.Paper, original.Counted, improved.Paper, improved.Counted} {
			drawn[i].add(at+[]float64{-0.27, -0.09, 0.09, 0.27}[i], v/1e9)
		}
		t.Rows = append(t.Rows, []string{
			step, formulaOf(original), significant(original.Paper / 1e9), significant(original.Counted / 1e9),
			formulaOf(improved), significant(improved.Paper / 1e9), significant(improved.Counted / 1e9), times(original.Counted / improved.Counted),
		})
	}
	var fewer, more []string
	for _, s := range c.Steps {
		row(s.Step, s.Original, s.Improved)
		for _, of := range []struct {
			method string
			bench.FlopsCount
		}{{"Original", s.Original}, {"Improved", s.Improved}} {
			says := fmt.Sprintf("%s by %s (%s of %s)", s.Step, of.method, times(of.Counted/of.Paper), of.Formula)
			switch {
			case of.Counted < of.Paper:
				fewer = append(fewer, says)
			case of.Counted > of.Paper:
				more = append(more, says)
			}
		}
	}
	row("all", c.Original, c.Improved)
	finding := fmt.Sprintf("At %s the steps take %s Gflop by Original and %s by Improved as counted, a ratio of %s; by the paper's formulas %s and %s, a ratio of %s.",
		strings.TrimSuffix(where, ", "+c.Backend), significant(c.Original.Counted/1e9), significant(c.Improved.Counted/1e9), times(c.Original.Counted/c.Improved.Counted),
		significant(c.Original.Paper/1e9), significant(c.Improved.Paper/1e9), times(c.Original.Paper/c.Improved.Paper))
	switch {
	case len(fewer) == 0 && len(more) == 0:
		finding += " All counts are those of the formulas."
	case len(fewer) > 0:
		finding += " Fewer are counted in " + list(fewer) + "."
	}
	if len(more) > 0 {
		finding += " More are counted in " + list(more) + "."
	}
	f := figure{Title: where, Caption: finding, plot: p, Tables: []table{t}}
	if c.Seed > 0 {
		f.Caption += fmt.Sprintf(" The rows are random, of seed %d.", c.Seed)
	}
	p.About, p.series = f.Caption, drawn
	return f, finding
}

func formulaOf(c bench.FlopsCount) string {
	if c.Formula == "" {
		return absent
	}
	return c.Formula
}
