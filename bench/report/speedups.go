package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
)

// A speedup is the time of Original over that of a variant of Improved in a run.
type speedup struct {
	*run
	original, improved string
	total, flops       float64       // with the start; NaN if no pass is whole
	paper              bench.Figures // of the same form, or none
}

func speedupsOf(r *run) (all []speedup) {
	for _, original := range r.variants("original") {
		for _, improved := range r.variants("improved") {
			if len(r.ratios(secondsOf(original), secondsOf(improved))) == 0 {
				continue
			}
			s := speedup{run: r, original: original, improved: improved}
			if form := s.form(1); form == absent || form == r.paperForm() {
				s.paper, _ = bench.PaperFigures(r.table)
			}
			s.total, s.flops = s.between(0, r.updates)
			all = append(all, s)
		}
	}
	return all
}

// between returns the speed-up in steps, measured and by flops.
func (s speedup) between(first, last int) (measured, flops float64) {
	return s.ratio(first, last, secondsOf(s.original), secondsOf(s.improved)),
		s.ratio(first, last, flopsOf(s.original), flopsOf(s.improved))
}

// paperTotal returns the paper's speed-up in total training time, or NaN.
func (s speedup) paperTotal() float64 {
	if s.paper.Total > 0 {
		return s.paper.Total
	}
	return nan
}

// form returns the form of B in a step.
func (s speedup) form(n int) string {
	form := absent
	for _, p := range s.passes {
		if st := p.steps[n]; st != nil {
			for _, c := range st.Cells {
				if c.Method == s.improved && c.Form != "" {
					form = c.Form
				}
			}
		}
	}
	return form
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
		ID: "speed-ups", Title: "Speed-up of Improved over Original",
		Text: "The time of Original (Algorithm 2) over that of Improved (Algorithm 3): measured, by the flops of both, " +
			"and in the paper for the same form. The total has the start and all updates, with their features.",
	}
	var whole []speedup
	for _, r := range runs {
		for _, s := range speedupsOf(r) {
			sec.Figures = append(sec.Figures, s.figure())
			if !math.IsNaN(s.total) {
				whole = append(whole, s)
			}
		}
	}
	if len(whole) > 0 {
		sec.numbers, sec.Findings = totals(whole)
		sec.Figures = slices.Insert(sec.Figures, 0, overview(whole, sec.Findings[0]))
	}
	return sec
}

// figure compares a run update by update.
func (s speedup) figure() Figure {
	name := s.setting.name()
	t := Table{
		Caption: fmt.Sprintf("%s: speed-up of %s over original", name, s.improved),
		Columns: slices.Concat(texts("step"), numbers("", "measured", "by flops", "the paper"), texts("form of B")),
	}
	row := func(label string, first, last int, form string, theirs float64) {
		measured, flops := s.between(first, last)
		t.Rows = append(t.Rows, []string{label, times(measured), times(flops), times(theirs), form})
	}
	for n := 1; n <= s.last(); n++ {
		row(s.label(n), n, n, s.form(n), entry(s.paper.Speedup, n-1))
	}
	row("start and updates", 0, s.updates, absent, s.paperTotal())
	return Figure{Title: fmt.Sprintf("%s, %s, %s", name, s.improved, s.place), Caption: s.caption(), Tables: []Table{t}}
}

// caption says what the totals are.
func (s speedup) caption() string {
	says := fmt.Sprintf("%s in total, %s by flops. ", times(s.total), times(s.flops))
	if math.IsNaN(s.total) {
		says = "No pass is whole, so there is no total. "
	}
	if math.IsNaN(s.paperTotal()) {
		says += "The paper's times are of the other form. "
	} else if !s.asInPaper() {
		says += "The paper's figures are of another size or recipe. "
	}
	return says + s.title()
}

// overview shows the total speed-ups.
func overview(all []speedup, caption string) Figure {
	c := chart{Plot: Plot{
		Name: "speed-ups", Title: "Improved over Original, total training time",
		x: axis{label: "table of the paper", nominal: []string{}}, y: axis{label: "speed-up", holds: []float64{1}},
	}}
	c.Caption, c.Columns = "Speed-up in total training time", texts("table")
	var by []string
	for i, s := range all {
		c.x.nominal = append(c.x.nominal, s.tick())
		c.row(float64(i+1), s.setting.name())
		by = append(by, s.improved+", "+s.place.String())
	}
	n := len(all)
	c.add("measured", "", false, values(n, func(i int) float64 { return all[i].total }), times)
	c.add("by flops", "", false, values(n, func(i int) float64 { return all[i].flops }), times)
	c.add("the paper", "", false, values(n, func(i int) float64 { return all[i].paperTotal() }), times)
	c.column(Column{Head: "method and machine", Text: true}, by)
	return c.figure("All tables: total training time", caption)
}

// totals sums up the total speed-ups, those with the paper's settings if there are any.
func totals(all []speedup) ([]Number, []string) {
	var ratios, like []float64
	var below []string
	for _, s := range all {
		ratios = append(ratios, s.total)
		if !s.asInPaper() || math.IsNaN(s.paperTotal()) {
			continue
		}
		like = append(like, s.total)
		if math.Round(100*s.total) < math.Round(100*s.paperTotal()) { // as they are printed
			below = append(below, fmt.Sprintf("Below the paper: %s (%s, %v): %s against %s, by flops %s.",
				s.setting.name(), s.improved, s.place, times(s.total), times(s.paperTotal()), times(s.flops)))
		}
	}
	number := Number{Text: "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, "}
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
