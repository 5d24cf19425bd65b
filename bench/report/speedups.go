package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
)

// A speedup is the time of Original over that of a form of Improved in a run.
type speedup struct {
	*run
	improved     string
	total, flops float64       // with the start, measured and by flops; NaN if no pass is whole
	paper        bench.Figures // with the same settings and form, or none
}

func speedupsOf(r *run) (all []speedup) {
	for _, improved := range r.improved() {
		if len(r.ratios(secondsOf("original"), secondsOf(improved))) == 0 {
			continue
		}
		s := speedup{run: r, improved: improved}
		if form := s.form(); r.asInPaper() && (form == "" || form == r.paperForm()) {
			s.paper, _ = bench.PaperFigures(r.table)
		}
		s.total, s.flops = s.between(0, r.updates)
		all = append(all, s)
	}
	return all
}

// between returns the speed-up in steps, measured and by flops.
func (s speedup) between(first, last int) (measured, flops float64) {
	return s.ratio(first, last, secondsOf("original"), secondsOf(s.improved)),
		s.ratio(first, last, flopsOf("original"), flopsOf(s.improved))
}

// form returns the form of B in the first update, or "" where the rows do not have it.
func (s speedup) form() (form string) {
	for _, p := range s.passes {
		if row := p.steps[1]; row != nil {
			for _, c := range row.Cells {
				if c.Method == s.improved {
					form = cmp.Or(c.Form, form)
				}
			}
		}
	}
	return form
}

// paperTotal returns the paper's speed-up in total training time, or NaN.
func (s speedup) paperTotal() float64 {
	if s.paper.Total > 0 {
		return s.paper.Total
	}
	return nan
}

// tick names the speed-up on the axis.
func (s speedup) tick() string {
	label := fmt.Sprint(s.table)
	if !s.full() {
		label += " ×" + short(s.scale)
	}
	if _, form, ok := strings.Cut(s.improved, "/"); ok && form != "paper" {
		label += " " + form
	}
	return label
}

func speedupSection(runs []*run) Section {
	sec := Section{
		Title: "Speed-up of Improved over Original",
		Text: "The time of Original (Algorithm 2) over that of Improved (Algorithm 3), with " +
			"the features: measured, by the flops of both, and in the paper where " +
			"settings and form are the same. The total has the start and all updates.",
	}
	var all, whole []speedup
	steps := 0
	for _, r := range runs {
		for _, s := range speedupsOf(r) {
			all, steps = append(all, s), max(steps, s.last())
			if !math.IsNaN(s.total) {
				whole = append(whole, s)
			}
		}
	}
	if len(all) == 0 {
		return sec
	}
	f := Figure{Table: Table{Columns: append(stepColumns("speed-up", 1, steps), "total")}}
	for _, s := range all {
		f.Table.Rows = append(f.Table.Rows, s.rows(steps)...)
	}
	if len(whole) > 0 {
		f.Plots = append(f.Plots, overview(whole))
		sec.numbers, sec.Findings = totals(whole)
	}
	sec.Figures = []Figure{f}
	return sec
}

// rows returns the speed-ups of all updates and in total: measured, by flops, and in the paper.
func (s speedup) rows(steps int) [][]string {
	name := fmt.Sprintf("%s, %s, %s", s.setting.name(), s.improved, s.place)
	var measured, flops, paper []float64
	for n := 1; n <= steps; n++ {
		m, f := s.between(n, n)
		measured, flops, paper = append(measured, m), append(flops, f), append(paper, entry(s.paper.Speedup, n-1))
	}
	rows := [][]string{
		stepRow(name+": measured", times, append(measured, s.total)),
		stepRow("by flops", times, append(flops, s.flops)),
	}
	if len(s.paper.Speedup) > 0 {
		rows = append(rows, stepRow("the paper", times, append(paper, s.paperTotal())))
	}
	return rows
}

// overview shows the total speed-ups.
func overview(all []speedup) *Plot {
	p := &Plot{
		Name: "speed-ups", Title: "Improved over Original, total training time",
		x: axis{label: "table of the paper"}, y: axis{label: "speed-up", log: true},
	}
	var at, measured, flops, paper []float64
	for i, s := range all {
		p.x.nominal = append(p.x.nominal, s.tick())
		at, measured = append(at, float64(i+1)), append(measured, s.total)
		flops, paper = append(flops, s.flops), append(paper, s.paperTotal())
	}
	p.add("measured", false, at, measured)
	p.add("by flops", false, at, flops)
	p.add("the paper", false, at, paper)
	return p
}

// totals sums up the total speed-ups, those with the paper's settings if there are any.
func totals(all []speedup) ([]Number, []string) {
	var ratios, like []float64
	var below []string
	for _, s := range all {
		ratios = append(ratios, s.total)
		if math.IsNaN(s.paperTotal()) {
			continue
		}
		like = append(like, s.total)
		if math.Round(100*s.total) < math.Round(100*s.paperTotal()) { // as they are printed
			below = append(below, fmt.Sprintf("Below the paper: %s (%s, %v): %s against %s, by flops %s.",
				s.setting.name(), s.improved, s.place, times(s.total), times(s.paperTotal()), times(s.flops)))
		}
	}
	number := Number{Text: "speed of Improved (Algorithm 3) over Original (Algorithm 2) in " +
		"total training time, "}
	finding := "In total training time Improved is %s times as fast as Original"
	if len(like) == 0 {
		number.Value = between(ratios, times) + "×"
		number.Text += "at sizes other than the paper's"
		return []Number{number}, []string{fmt.Sprintf(finding+". No run has the paper's size and recipe.", between(ratios, times))}
	}
	of := fmt.Sprintf("at least the paper's figure in %d of %s", len(like)-len(below), count(len(like), "run"))
	number.Value = between(like, times) + "×"
	number.Text += "with the paper's settings; " + of
	finding = fmt.Sprintf(finding+" with the paper's sizes and recipe, %s.", between(like, times), of)
	return []Number{number}, append([]string{finding}, below...)
}
