package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
)

// A speedup is how many times as fast as Original a variant of Improved is in a run.
type speedup struct {
	*run
	variant  string
	original string
	measured []float64 // by update, from the first
	flops    []float64
	updates  [2]float64    // measured and by flops, of all updates
	total    [2]float64    // with the start; NaN where there is none
	paper    bench.Figures // of the same form, or none
}

func speedupsOf(r *run) []speedup {
	var all []speedup
	for _, original := range r.variants("original") {
		for _, improved := range r.variants("improved") {
			s := speedup{run: r, variant: improved, original: original}
			if form := s.form(1); form == absent || form == r.paperForm() {
				s.paper, _ = bench.PaperFigures(r.table)
			}
			ratios := func(first, last int) [2]float64 {
				return [2]float64{
					r.medianRatio(first, last, secondsOf(original), secondsOf(improved)),
					r.medianRatio(first, last, flopsOf(original), flopsOf(improved)),
				}
			}
			for n := 1; n <= r.last(); n++ {
				both := ratios(n, n)
				s.measured, s.flops = append(s.measured, both[0]), append(s.flops, both[1])
			}
			s.updates, s.total = ratios(1, r.updates), ratios(0, r.updates)
			if slices.ContainsFunc(s.measured, func(v float64) bool { return !math.IsNaN(v) }) { // else no run has both
				all = append(all, s)
			}
		}
	}
	return all
}

// whole tells whether a pass has all of its updates without an interruption, so that its total may be compared.
func (s speedup) whole() bool { return !math.IsNaN(s.total[0]) }

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
		Text: "The time of Original (Algorithm 2) over that of Improved (Algorithm 3): measured, by the flops of both, and in the paper for the same form. The total has the start and all updates, with their features. Above 1 Improved is faster.",
	}
	var all []speedup
	for _, r := range runs {
		if r.heldOut == 0 { // these are for choosing settings: see the accuracy
			all = append(all, speedupsOf(r)...)
		}
	}
	if len(all) == 0 {
		return sec
	}
	overview, findings, number := totalSpeedups(all)
	if overview.plot != nil {
		sec.Figures = append(sec.Figures, overview)
	}
	sec.findings, sec.number = findings, number
	for _, s := range all {
		sec.Figures = append(sec.Figures, s.figure())
	}
	return sec
}

// even is a line at 1 through n places of an axis.
func even(n int) series {
	return series{ink: inkMuted, style: thinLine, x: []float64{0.5, float64(n) + 0.5}, y: []float64{1, 1}}
}

// figure compares a run update by update.
func (s speedup) figure() figure {
	name := s.setting.name()
	f := figure{Title: fmt.Sprintf("%s, %s, %s", name, s.variant, s.place)}
	p := &Plot{
		Name: slug("speed-up " + name + " " + s.variant + " " + s.Backends), Title: fmt.Sprintf("%s: %s over original, %s", name, s.variant, s.place),
		x: axis{label: "update", nominal: []string{}}, y: axis{label: "speed-up", least: 1, most: 1},
	}
	t := table{
		Caption: fmt.Sprintf("%s: speed-up of %s over original", name, s.variant),
		Columns: []column{{Head: "step", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "original", Unit: "s"}, {Head: s.variant, Unit: "s"}, {Head: "samples"}, {Head: "form of B", Text: true}},
	}
	mine := series{name: "measured", ink: inkBlue, marker: 0, style: pointsOnly}
	flops := series{name: "by flops", ink: inkOcher, marker: 9, style: pointsOnly}
	paper := series{name: "the paper", ink: inkMuted, marker: 6, style: pointsOnly}
	row := func(label, tick, samples string, first, last int, form string, measured, byFlops, theirs float64) {
		p.x.nominal = append(p.x.nominal, tick)
		i := float64(len(p.x.nominal))
		mine.add(i-0.15, measured)
		flops.add(i, byFlops)
		paper.add(i+0.15, theirs)
		t.Rows = append(t.Rows, []string{
			label, times(measured), times(byFlops), times(theirs),
			significant(s.medianSum(first, last, secondsOf(s.original))), significant(s.medianSum(first, last, secondsOf(s.variant))), samples, form,
		})
	}
	for i, v := range s.measured {
		theirs := math.NaN()
		if i < len(s.paper.Speedup) {
			theirs = s.paper.Speedup[i]
		}
		n := i + 1
		label := fmt.Sprintf("update %d", n)
		if s.rebuiltAt(n) {
			label += ", states built anew"
		}
		row(label, fmt.Sprint(n), fmt.Sprint(s.samples(n)), n, n, s.form(n), v, s.flops[i], theirs)
	}
	if s.whole() {
		last := fmt.Sprint(s.samples(s.run.updates))
		row("all updates", "updates", last, 1, s.run.updates, "", s.updates[0], s.updates[1], math.NaN())
		row("start and updates", "total", last, 0, s.run.updates, "", s.total[0], s.total[1], s.paperTotal())
	}
	p.series = []series{even(len(p.x.nominal)), mine, flops, paper}
	f.Caption = s.caption()
	p.About = f.Title + ". " + f.Caption
	f.plot, f.Tables = p, []table{t}
	return f
}

// caption says what the totals are, and what to know about them.
func (s speedup) caption() string {
	var says string
	theirs := fmt.Sprintf("; the paper has %s", times(s.paperTotal()))
	switch {
	case math.IsNaN(s.paperTotal()):
		theirs = "; the paper's times are of the other form"
	case !s.full():
		theirs += " at full size"
	case !s.asInPaper():
		theirs += " with its own recipe"
	}
	if s.whole() {
		says = fmt.Sprintf("%s in total, %s by flops%s.", times(s.total[0]), times(s.total[1]), theirs)
	} else {
		says = strings.TrimSpace(s.missing() + " So there is no total.")
	}
	if runs := len(s.sums(1, 1, secondsOf(s.variant))); runs > 1 {
		says += fmt.Sprintf(" Medians of %d runs.", runs)
	}
	if s.random() {
		says += " The samples are random images of the size of the paper's."
	}
	return says + s.startNote() + s.versions.note()
}
