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
	original, variant string
	total, flops      float64       // with the start, measured and by flops; NaN where no pass is whole
	paper             bench.Figures // of the same form, or none
}

func speedupsOf(r *run) []speedup {
	var all []speedup
	for _, original := range r.variants("original") {
		for _, improved := range r.variants("improved") {
			s := speedup{run: r, original: original, variant: improved}
			if form := s.form(1); form == absent || form == r.paperForm() {
				s.paper, _ = bench.PaperFigures(r.table)
			}
			s.total, s.flops = s.ratios(0, r.updates)
			for n := 1; n <= r.last(); n++ {
				if measured, _ := s.ratios(n, n); !math.IsNaN(measured) {
					all = append(all, s)
					break
				}
			}
		}
	}
	return all
}

// ratios returns the speed-up in steps, measured and by flops.
func (s speedup) ratios(first, last int) (measured, flops float64) {
	return s.medianRatio(first, last, secondsOf(s.original), secondsOf(s.variant)), s.medianRatio(first, last, flopsOf(s.original), flopsOf(s.variant))
}

// whole reports whether a pass has all of its updates without an interruption.
func (s speedup) whole() bool { return !math.IsNaN(s.total) }

// paperTotal returns the paper's speed-up in total training time, or NaN.
func (s speedup) paperTotal() float64 {
	if s.paper.Total > 0 {
		return s.paper.Total
	}
	return math.NaN()
}

// form returns the form of B in a step.
func (s speedup) form(n int) string {
	for _, p := range s.passes {
		if st := p.steps[n]; st != nil && st.cells[s.variant].Form != "" {
			return st.cells[s.variant].Form
		}
	}
	return absent
}

func speedupSection(runs []*run) section {
	sec := section{
		ID: "speed-ups", Title: "Speed-up of Improved over Original",
		Text: "The time of Original (Algorithm 2) over that of Improved (Algorithm 3): measured, by the flops of both, and in the paper for the " +
			"same form. The total has the start and all updates, with their features. Above 1 Improved is faster.",
	}
	var all, whole []speedup
	for _, r := range runs {
		if r.heldOut == 0 { // others choose settings: see the accuracy
			all = append(all, speedupsOf(r)...)
		}
	}
	for _, s := range all {
		if s.whole() {
			whole = append(whole, s)
		}
	}
	if len(whole) > 0 {
		f, number := overview(whole)
		sec.Figures, sec.findings, sec.number = []figure{f}, []string{f.Caption}, number
	}
	for _, s := range all {
		sec.Figures = append(sec.Figures, s.figure())
	}
	return sec
}

// figure compares a run update by update.
func (s speedup) figure() figure {
	name := s.setting.name()
	t := table{
		Caption: fmt.Sprintf("%s: speed-up of %s over original", name, s.variant),
		Columns: []column{
			{Head: "step", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "original", Unit: "s"},
			{Head: s.variant, Unit: "s"}, {Head: "samples"}, {Head: "form of B", Text: true},
		},
	}
	row := func(label string, first, last int, form string, theirs float64) {
		measured, flops := s.ratios(first, last)
		t.Rows = append(t.Rows, []string{
			label, times(measured), times(flops), times(theirs), significant(median(s.sums(first, last, secondsOf(s.original)))),
			significant(median(s.sums(first, last, secondsOf(s.variant)))), fmt.Sprint(s.samples(last)), form,
		})
	}
	for n := 1; n <= s.last(); n++ {
		theirs, label := math.NaN(), fmt.Sprintf("update %d", n)
		if n <= len(s.paper.Speedup) {
			theirs = s.paper.Speedup[n-1]
		}
		if s.rebuiltAt(n) {
			label += ", states rebuilt"
		}
		row(label, n, n, s.form(n), theirs)
	}
	if s.whole() {
		row("all updates", 1, s.updates, "", math.NaN())
		row("start and updates", 0, s.updates, "", s.paperTotal())
	}
	return figure{Title: fmt.Sprintf("%s, %s, %s", name, s.variant, s.place), Caption: s.caption(), Tables: []table{t}}
}

// caption says what the totals are.
func (s speedup) caption() string {
	theirs := fmt.Sprintf("; the paper has %s", times(s.paperTotal()))
	switch {
	case math.IsNaN(s.paperTotal()):
		theirs = "; the paper's times are of the other form"
	case !s.full():
		theirs += " at full size"
	case !s.asInPaper():
		theirs += " with its own recipe"
	}
	says := fmt.Sprintf("%s in total, %s by flops%s.", times(s.total), times(s.flops), theirs)
	if !s.whole() {
		says = strings.TrimSpace(s.missing() + " So there is no total.")
	}
	if runs := len(s.sums(1, 1, secondsOf(s.variant))); runs > 1 {
		says += fmt.Sprintf(" Medians of %d runs.", runs)
	}
	if s.random() {
		says += " The samples are random images of the size of the paper's."
	}
	return says + s.versions.note()
}

// overview shows the total speed-ups, a place for each table and variant.
func overview(all []speedup) (figure, *Number) {
	t := table{
		Caption: "Speed-up in total training time",
		Columns: []column{{Head: "table", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "method and machine", Text: true}},
	}
	p := &Plot{
		Name: "speed-ups", Title: "Improved over Original, total training time",
		x: axis{label: "table of the paper", nominal: []string{}}, y: axis{label: "speed-up", least: 1, most: 1},
	}
	flops := series{name: "by flops", ink: inkOcher, marker: 9, style: pointsOnly}
	paper := series{name: "the paper", ink: inkMuted, marker: 6, style: pointsOnly}
	var places, machines []string
	var ours []series // by machine
	var ratios, like []float64
	reached := 0
	var below []string
	for _, s := range all {
		name, machine := s.setting.name(), s.place.String()
		place := slices.Index(places, name+s.variant)
		if place < 0 {
			place = len(places)
			places = append(places, name+s.variant)
			p.x.nominal = append(p.x.nominal, s.tick())
			flops.add(float64(place+1), s.flops)
			paper.add(float64(place+1)+0.15, s.paperTotal())
		}
		i := slices.Index(machines, machine)
		if i < 0 {
			i = len(machines)
			machines = append(machines, machine)
			ours = append(ours, series{name: "measured: " + machine, ink: seriesInks[i%len(seriesInks)], marker: i % len(markers), style: pointsOnly})
		}
		ours[i].add(float64(place+1)-0.15*float64(1+i%3), s.total)
		who := s.variant + ", " + machine
		t.Rows = append(t.Rows, []string{name, times(s.total), times(s.flops), times(s.paperTotal()), who})
		ratios = append(ratios, s.total)
		if !s.asInPaper() || math.IsNaN(s.paperTotal()) {
			continue
		}
		like = append(like, s.total)
		if math.Round(100*s.total) >= math.Round(100*s.paperTotal()) { // as they are printed
			reached++
			continue
		}
		below = append(below, fmt.Sprintf("%s (%s): %s against %s, by flops %s", name, who, times(s.total), times(s.paperTotal()), times(s.flops)))
	}
	even := series{ink: inkMuted, style: thinLine, x: []float64{0.5, float64(len(places)) + 0.5}, y: []float64{1, 1}}
	p.series = slices.Concat([]series{even}, ours, []series{flops, paper})
	number := &Number{between(ratios, times) + "×", "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, at sizes other than the paper's"}
	finding := fmt.Sprintf("In total training time Improved is %s times as fast as Original. None of these runs has the paper's size and recipe.", between(ratios, times))
	if len(like) > 0 {
		of := fmt.Sprintf("at least the paper's figure in %d of %s", reached, count(len(like), "run", "runs"))
		number = &Number{between(like, times) + "×", "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, with the paper's settings; " + of}
		finding = fmt.Sprintf("In total training time Improved is %s times as fast as Original with the paper's sizes and recipe, %s.", between(like, times), of)
	}
	for _, b := range below {
		finding += " It is below it in " + b + "."
	}
	p.About = finding
	return figure{Title: "All tables: total training time", Caption: finding, plot: p, Tables: []table{t}}, number
}

// tick names the place of a speed-up on the axis.
func (s speedup) tick() string {
	label := fmt.Sprint(s.table)
	if !s.full() {
		label += " ×" + short(s.scale)
	}
	if _, form, ok := strings.Cut(s.variant, "/"); ok && form != "paper" {
		label += " " + form
	}
	return label
}
