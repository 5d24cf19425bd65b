package report

import (
	"fmt"
	"math"

	"blskernel/bench"
)

// A speedup is how many times as fast as Original a variant of Improved is in a run.
type speedup struct {
	*run
	variant  string
	measured []float64 // by update, from the first
	flops    []float64
	updates  [2]float64 // measured and by flops, of all updates
	total    [2]float64 // with the start; NaN where the run was interrupted
	paper    bench.Figures
}

func speedupsOf(r *run) []speedup {
	var all []speedup
	for _, original := range r.variants("original") {
		for _, improved := range r.variants("improved") {
			s := speedup{run: r, variant: improved}
			s.paper, _ = bench.PaperFigures(r.table)
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
			if len(s.measured) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

// whole tells whether the run has all of its updates, so that its total may be compared.
func (s speedup) whole() bool { return !math.IsNaN(s.total[0]) }

func speedupSection(runs []*run) section {
	sec := section{
		ID: "speed-ups", Title: "Speed-up of Improved over Original",
		Text: []string{"How many times as fast as the original update of the pseudoinverse the improved one is: as measured here, as the flops of both alone would have it, and as the paper has it. The total is of the whole training, the start and all updates with their features; the start is the same by both methods, so the total is below the updates alone. Above 1 Improved is faster."},
	}
	var all []speedup
	for _, r := range runs {
		all = append(all, speedupsOf(r)...)
	}
	if len(all) == 0 {
		return sec
	}
	overview, findings := totalSpeedups(all)
	if overview.plot != nil {
		sec.Figures = append(sec.Figures, overview)
	}
	sec.findings = findings
	for _, s := range all {
		sec.Figures = append(sec.Figures, s.figure())
	}
	return sec
}

// totalSpeedups compares the totals of all tables that are whole.
func totalSpeedups(all []speedup) (figure, []string) {
	f := figure{Title: "All tables: total training time"}
	t := table{
		Caption: "Speed-up in total training time",
		Columns: []column{{Head: "table", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "updates alone, measured"}, {Head: "method and machine", Text: true}},
	}
	p := &Plot{
		Name: "speed-ups", Title: "Improved over Original, total training time",
		x: axis{nominal: []string{}}, y: axis{label: "speed-up", least: 1, most: 1},
	}
	at := map[string]int{}
	ours := map[string]*series{}
	var order []string
	flops, paper := series{name: "by flops", ink: inkOcher, marker: 9, style: pointsOnly}, series{name: "the paper", ink: inkMuted, marker: 6, style: pointsOnly}
	compared, reached := 0, 0
	var below []string
	for _, s := range all {
		if !s.whole() {
			continue
		}
		name := s.setting.name()
		i, seen := at[name]
		if !seen {
			i = len(at) + 1
			at[name] = i
			label := fmt.Sprint(s.table)
			if !s.full() {
				label += " ×" + short(s.scale)
			}
			p.x.nominal = append(p.x.nominal, label)
			paper.add(float64(i)+0.15, s.paper.Total)
			flops.add(float64(i), s.total[1])
		}
		who := s.variant + ", " + s.place.String()
		if ours[who] == nil {
			order = append(order, who)
			ours[who] = &series{name: "measured: " + who, ink: []ink{inkBlue, inkVermillion, inkGreen, inkPurple}[(len(order)-1)%4], marker: (len(order) - 1) % len(markers), style: pointsOnly}
		}
		ours[who].add(float64(i), s.total[0])
		t.Rows = append(t.Rows, []string{name, times(s.total[0]), times(s.total[1]), times(s.paper.Total), times(s.updates[0]), who})
		if s.full() && s.paper.Total > 0 {
			compared++
			if math.Round(100*s.total[0]) >= math.Round(100*s.paper.Total) {
				reached++
			} else {
				below = append(below, fmt.Sprintf("%s (%s): %s against %s, flops say %s", name, who, times(s.total[0]), times(s.paper.Total), times(s.total[1])))
			}
		}
	}
	if len(t.Rows) == 0 {
		return f, nil
	}
	p.x.label = "table of the paper"
	p.series = []series{even(len(p.x.nominal))}
	beside := map[float64]float64{} // how far the last one at a place was moved
	for i := len(order) - 1; i >= 0; i-- {
		at := ours[order[i]].x
		for j, x := range at { // side by side, left of what they are compared with
			beside[x] += min(0.15, 0.5/float64(len(order)))
			at[j] -= beside[x]
		}
	}
	for _, who := range order {
		p.series = append(p.series, *ours[who])
	}
	p.series = append(p.series, flops, paper)
	var measured, full []float64
	for _, s := range all {
		if s.whole() {
			measured = append(measured, s.total[0])
		}
		if s.whole() && s.full() {
			full = append(full, s.total[0])
		}
	}
	if len(full) > 0 {
		measured = full
	}
	finding := fmt.Sprintf("In total training time Improved is %s times as fast as Original.", between(measured, times))
	if compared > 0 {
		finding += fmt.Sprintf(" That is at least the paper's figure in %d of %s at full size.", reached, count(compared, "run", "runs"))
		for _, b := range below {
			finding += " It is below it in " + b + "."
		}
	}
	f.Caption, f.plot, f.Tables = finding, p, []table{t}
	p.About = finding
	return f, []string{finding}
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
		Name: slug("speed-up " + name + " " + s.variant + " " + s.place.backends), Title: fmt.Sprintf("%s: %s over original, %s", name, s.variant, s.place),
		x: axis{label: "update", nominal: []string{}}, y: axis{label: "speed-up", least: 1, most: 1},
	}
	t := table{
		Caption: fmt.Sprintf("%s: speed-up of %s over original", name, s.variant),
		Columns: []column{{Head: "step", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "original", Unit: "s"}, {Head: s.variant, Unit: "s"}, {Head: "samples"}, {Head: "form of B", Text: true}},
	}
	mine := series{name: "measured", ink: inkBlue, marker: 0, style: pointsOnly}
	flops := series{name: "by flops", ink: inkOcher, marker: 9, style: pointsOnly}
	paper := series{name: "the paper", ink: inkMuted, marker: 6, style: pointsOnly}
	original := s.variants("original")[0]
	row := func(label, tick, samples string, first, last int, form string, measured, byFlops, theirs float64) {
		p.x.nominal = append(p.x.nominal, tick)
		i := float64(len(p.x.nominal))
		mine.add(i-0.15, measured)
		flops.add(i, byFlops)
		paper.add(i+0.15, theirs)
		t.Rows = append(t.Rows, []string{
			label, times(measured), times(byFlops), times(theirs),
			significant(s.medianSum(first, last, secondsOf(original))), significant(s.medianSum(first, last, secondsOf(s.variant))), samples, form,
		})
	}
	for i, v := range s.measured {
		theirs := math.NaN()
		if i < len(s.paper.Speedup) {
			theirs = s.paper.Speedup[i]
		}
		n := i + 1
		row(fmt.Sprintf("update %d", n), fmt.Sprint(n), fmt.Sprint(s.samples(n)), n, n, s.form(n), v, s.flops[i], theirs)
	}
	whole := s.whole()
	if whole {
		theirs := math.NaN()
		if s.paper.Total > 0 {
			theirs = s.paper.Total
		}
		last := fmt.Sprint(s.samples(s.run.updates))
		row("all updates", "updates", last, 1, s.run.updates, "", s.updates[0], s.updates[1], math.NaN())
		row("start and updates", "total", last, 0, s.run.updates, "", s.total[0], s.total[1], theirs)
	}
	p.series = []series{even(len(p.x.nominal)), mine, flops, paper}
	switch {
	case !whole:
		f.Caption = s.missing() + " So there is no total."
	case s.full():
		f.Caption = fmt.Sprintf("%s in total, %s by flops; the paper has %s.", times(s.total[0]), times(s.total[1]), times(s.paper.Total))
	default:
		f.Caption = fmt.Sprintf("%s in total, %s by flops; the paper has %s at full size.", times(s.total[0]), times(s.total[1]), times(s.paper.Total))
	}
	if runs := len(s.sums(1, 1, secondsOf(s.variant))); runs > 1 {
		f.Caption += fmt.Sprintf(" Medians of %d runs.", runs)
	}
	p.About = f.Title + ". " + f.Caption
	f.plot, f.Tables = p, []table{t}
	return f
}

// form returns the form of B in a step.
func (s speedup) form(n int) string {
	for _, seed := range s.seeds {
		if st := s.steps[stepKey{seed, n}]; st != nil && st.cells[s.variant].Form != "" {
			return st.cells[s.variant].Form
		}
	}
	return absent
}
