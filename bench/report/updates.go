package report

import (
	"fmt"
	"math"
	"strings"
)

func timeSection(runs []*run) section {
	sec := section{
		ID: "times", Title: "Time of an update",
		Text: "Seconds from the new rows of A to new weights W, without the features (the thin line), and where measured the time of a solution from scratch: of A⁺ and W, and of W alone. An update above that of a solution from scratch does not pay.",
	}
	var shown []*run
	for _, r := range runs {
		if r.last() == 0 || r.heldOut > 0 { // the latter are for choosing settings: see the accuracy
			continue
		}
		shown = append(shown, r)
		sec.Figures = append(sec.Figures, r.timeFigure())
	}
	sec.findings, sec.number = timeFindings(shown)
	return sec
}

// timeFigure has the updates of a run by all methods, and the totals.
func (r *run) timeFigure() figure {
	name := r.setting.name()
	f := figure{Title: fmt.Sprintf("%s, %s", name, r.place)}
	p := &Plot{
		Name: slug("times " + name + " " + r.Backends), Title: fmt.Sprintf("%s: time of an update, %s", name, r.place),
		x: axis{label: "training samples after the update"}, y: axis{label: "time, s", log: true},
	}
	t := table{Caption: name + ": time of each step without its features", Columns: []column{{Head: "samples"}}}
	last := r.last()
	for n := 0; n <= last; n++ {
		label := fmt.Sprint(r.samples(n))
		switch {
		case n == 0:
			label += " (start)"
		case r.rebuiltAt(n):
			label += " (states built anew)"
		}
		t.Rows = append(t.Rows, []string{label})
	}
	addCurve := func(s series, of func(*step) (float64, bool)) {
		t.Columns = append(t.Columns, column{Head: s.name, Unit: "s"})
		for n := 0; n <= last; n++ {
			v := median(r.each(n, of))
			t.Rows[n] = append(t.Rows[n], significant(v))
			if n > 0 {
				s.add(float64(r.samples(n)), v)
			}
		}
		p.series = append(p.series, s)
	}
	var l looks
	for _, m := range r.methods {
		addCurve(l.method(m), updateOf(m))
	}
	if r.retrained() {
		addCurve(series{name: "A+ and W from scratch", ink: inkText, dash: 1, style: lineOnly}, pseudoinverseOf)
		addCurve(series{name: "W from scratch", ink: inkText, dash: 2, style: lineOnly}, weightsOf)
	}
	addCurve(series{name: "features", ink: inkMuted, style: thinLine}, featuresOf)
	says := r.timeSentences()
	if missing := r.missing(); missing != "" {
		says = append(says, missing)
	}
	if len(says) == 0 {
		says = append(says, "Times of "+count(len(r.methods), "method.", "methods."))
	}
	f.Caption = sentence(strings.Join(says, " ") + r.startNote() + r.versions.note())
	p.About = f.Title + ". " + f.Caption
	f.plot, f.Tables = p, []table{t, r.totals()}
	return f
}

func (r *run) retrained() bool {
	for _, p := range r.passes {
		for _, s := range p.steps {
			if s.retraining != nil {
				return true
			}
		}
	}
	return false
}

// totals is a row for each method: all steps with their features. Of passes that were interrupted and went on from
// states that were built anew the times are there, with a mark, where there are no others.
func (r *run) totals() table {
	t := table{
		Caption: r.setting.name() + ": total training time, features included",
		Columns: []column{
			{Head: "method", Text: true}, {Head: "start and updates", Unit: "s"}, {Head: "least and most", Unit: "s", Text: true}, {Head: "runs"},
			{Head: "updates", Unit: "s"},
		},
	}
	planned := r.planners() != ""
	if planned {
		t.Columns = append(t.Columns, column{Head: "times the planner's"})
	}
	last := r.last()
	if last < r.updates {
		t.Caption += ", as far as the run came"
	}
	for _, m := range r.methods {
		label := m
		if m == r.planners() {
			label += " (planner's choice)"
		}
		all, updates := r.sums(0, last, secondsOf(m)), r.sums(1, last, secondsOf(m))
		if len(all) == 0 {
			all, updates = r.sumsAcross(0, last, secondsOf(m)), r.sumsAcross(1, last, secondsOf(m))
			if len(all) > 0 {
				label += ", with states built anew on the way"
			}
		}
		ends := absent
		if len(all) > 1 {
			ends = between(all, significant)
		}
		row := []string{label, significant(median(all)), ends, fmt.Sprint(len(all)), significant(median(updates))}
		if planned {
			row = append(row, times(r.medianRatio(0, last, secondsOf(m), secondsOf(plannerMethod))))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// above counts the values above 1.
func above(values []float64) int {
	n := 0
	for _, v := range values {
		if v > 1 {
			n++
		}
	}
	return n
}

// A loss compares updates of the pseudoinverse with retraining.
type loss struct {
	ways             ways      // in which A⁺ was computed
	inverse, weights []float64 // the time of an update over that of A⁺ and W from scratch, and over that of W alone
}

func (r *run) loss(method string) loss {
	l := loss{inverse: r.against(updateOf(method), pseudoinverseOf), weights: r.against(updateOf(method), weightsOf)}
	for n := 1; n <= r.last(); n++ {
		for _, p := range r.passes {
			if s := p.steps[n]; s != nil && s.retraining != nil {
				l.ways.add(s.retraining.PseudoinverseBy)
			}
		}
	}
	return l
}

// String says where updating loses.
func (l loss) String() string {
	one := func(ratios []float64, what string) string {
		return fmt.Sprintf("%s times as long as %s (it loses at %d of %s)", between(ratios, times), what, above(ratios), count(len(ratios), "update", "updates"))
	}
	return "takes " + one(l.inverse, l.ways.String()) + ", and " + one(l.weights, "computing W alone from scratch") + "."
}

// timeSentences says where updating loses to retraining and by how much the planner's method wins.
func (r *run) timeSentences() []string {
	var says []string
	for _, m := range r.variants("improved") {
		if l := r.loss(m); len(l.inverse) > 0 {
			says = append(says, fmt.Sprintf("Updating the pseudoinverse by %s %v", m, l))
		}
	}
	last := r.last()
	mine := r.sums(0, last, secondsOf(plannerMethod))
	if len(mine) == 0 {
		return says
	}
	wins := fmt.Sprintf("The planner's method, %s, takes %s for the start and %s with features", r.planners(), spread(mine), count(last, "update", "updates"))
	for _, m := range append(r.variants("improved"), r.variants("original")...) {
		if v := r.medianRatio(0, last, secondsOf(m), secondsOf(plannerMethod)); m != r.planners() && !math.IsNaN(v) {
			wins += fmt.Sprintf("; %s takes %s times as long", m, times(v))
		}
	}
	if by := r.against(weightsOf, updateOf(plannerMethod)); len(by) > 0 {
		wins += fmt.Sprintf("; W from scratch takes %s times as long as its updates", between(by, times))
	}
	return append(says, wins+".")
}
