package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

func timeSection(runs []*run) section {
	sec := section{
		ID: "times", Title: "Time of an update",
		Text: "Seconds from the new rows of A to new weights W, without the features (the thin line), and where measured the time of a " +
			"solution from scratch: of A⁺ and W, and of W alone. An update above that of a solution from scratch does not pay.",
	}
	var shown []*run
	for _, r := range runs {
		if r.last() > 0 && r.heldOut == 0 { // others choose settings: see the accuracy
			shown = append(shown, r)
			sec.Figures = append(sec.Figures, r.timeFigure())
		}
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
			label += " (states rebuilt)"
		}
		t.Rows = append(t.Rows, []string{label})
	}
	curve := func(s series, of func(*step) (float64, bool)) {
		t.Columns = append(t.Columns, column{Head: s.name, Unit: "s"})
		for n := 0; n <= last; n++ {
			v := median(r.sumsAcross(n, n, of))
			t.Rows[n] = append(t.Rows[n], significant(v))
			if n > 0 {
				s.add(float64(r.samples(n)), v)
			}
		}
		p.series = append(p.series, s)
	}
	var l looks
	for _, m := range r.methods {
		curve(l.method(m), updateOf(m))
	}
	if len(r.against(weightsOf, featuresOf)) > 0 {
		curve(series{name: "A⁺ and W from scratch", ink: inkText, dash: 1, style: lineOnly}, pseudoinverseOf)
		curve(series{name: "W from scratch", ink: inkText, dash: 2, style: lineOnly}, weightsOf)
	}
	curve(series{name: "features", ink: inkMuted, style: thinLine}, featuresOf)
	var says []string
	for _, m := range r.variants("improved") {
		if l := r.loss(m); len(l.inverse) > 0 {
			says = append(says, fmt.Sprintf("Updating the pseudoinverse by %s %v", m, l))
		}
	}
	if wins := r.wins(); wins != "" {
		says = append(says, wins)
	}
	says = append(says, r.missing())
	f.Caption = cmp.Or(strings.TrimSpace(strings.Join(says, " ")), "Times of "+count(len(r.methods), "method.", "methods.")) + r.versions.note()
	p.About = f.Title + ". " + f.Caption
	f.plot, f.Tables = p, []table{t, r.totals()}
	return f
}

// totals is a row for each method: all steps with their features. A method without an uninterrupted
// pass has the others, with a mark.
func (r *run) totals() table {
	t := table{
		Caption: r.setting.name() + ": total training time, features included",
		Columns: []column{
			{Head: "method", Text: true}, {Head: "start and updates", Unit: "s"}, {Head: "least and most", Unit: "s", Text: true}, {Head: "runs"},
			{Head: "updates", Unit: "s"}, {Head: "times the planner's"},
		},
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
				label += ", with rebuilt states"
			}
		}
		ends := absent
		if len(all) > 1 {
			ends = between(all, significant)
		}
		t.Rows = append(t.Rows, []string{
			label, significant(median(all)), ends, fmt.Sprint(len(all)), significant(median(updates)),
			times(r.medianRatio(0, last, secondsOf(m), secondsOf(plannerMethod))),
		})
	}
	return t
}

// wins compares the planner's method with the others, or returns "" where it has no whole pass.
func (r *run) wins() string {
	last := r.last()
	mine := r.sums(0, last, secondsOf(plannerMethod))
	if len(mine) == 0 {
		return ""
	}
	says := fmt.Sprintf("The planner's method, %s, takes %s for the start and %s with features", r.planners(), spread(mine), count(last, "update", "updates"))
	for _, m := range append(r.variants("improved"), r.variants("original")...) {
		if v := r.medianRatio(0, last, secondsOf(m), secondsOf(plannerMethod)); m != r.planners() && !math.IsNaN(v) {
			says += fmt.Sprintf("; %s takes %s times as long", m, times(v))
		}
	}
	return says + "."
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

// ways collects how pseudoinverses were computed from scratch, in the order in which they came.
type ways []string

// add adds a start by the name that results have, of blsupdate.Start.
func (w *ways) add(by string) {
	known := map[string]string{
		"cholesky": "A⁺ by the ridge formula", "qr": "A⁺ by QR", "svd": "A⁺ by the SVD", "": "A⁺ as Improved starts, by QR where that is needed,",
	}
	if name := cmp.Or(known[by], "A⁺ by "+by); !slices.Contains(*w, name) {
		*w = append(*w, name)
	}
}

// String names the work that updates are compared with.
func (w ways) String() string {
	name := "A⁺"
	if len(w) == 1 {
		name = w[0]
	} else if len(w) > 1 {
		name = "A⁺ (" + list(w) + ")"
	}
	return "computing " + name + " and W from scratch"
}

// timeFindings sums up the runs that differ in the table alone.
func timeFindings(runs []*run) (findings []string, number *Number) {
	var wins []float64
	var chosen []string
	for len(runs) > 0 {
		first := runs[0]
		alike := func(r *run) bool { return r.suffix() == first.suffix() && r.place == first.place }
		of, variants := []*run{}, []string{}
		for _, r := range runs {
			if alike(r) {
				of, variants = append(of, r), append(variants, r.variants("improved")...)
			}
		}
		runs = slices.DeleteFunc(slices.Clone(runs), alike)
		slices.Sort(variants)
		for _, m := range slices.Compact(variants) {
			var all loss
			var whole, updates []float64
			var lost, won []*run
			for _, r := range of {
				if l := r.loss(m); slices.Contains(r.methods, m) && len(l.inverse) > 0 {
					lost = append(lost, r)
					all.inverse, all.weights = append(all.inverse, l.inverse...), append(all.weights, l.weights...)
					for _, way := range l.ways {
						if !slices.Contains(all.ways, way) {
							all.ways = append(all.ways, way)
						}
					}
				}
				if v := r.medianRatio(0, r.updates, secondsOf(m), secondsOf(plannerMethod)); m != r.planners() && !math.IsNaN(v) {
					won = append(won, r)
					if name := r.planners(); !slices.Contains(chosen, name) {
						chosen = append(chosen, name)
					}
					whole, updates = append(whole, v), append(updates, r.against(updateOf(m), updateOf(plannerMethod))...)
				}
			}
			if len(lost) > 0 {
				findings = append(findings, fmt.Sprintf("%s: updating the pseudoinverse by %s %v", tablesOf(lost), m, all))
			}
			if len(won) > 0 {
				wins = append(wins, whole...)
				findings = append(findings, fmt.Sprintf("%s: the planner's method is %s times as fast as %s in the whole training with features, and %s times in the updates alone.",
					tablesOf(won), between(whole, times), m, between(updates, times)))
			}
		}
	}
	if len(wins) > 0 {
		number = &Number{between(wins, times) + "×", "speed over Improved, in total training time and for the same weights, of the method that the planner " +
			"chooses: " + list(chosen)}
	}
	return findings, number
}

// tablesOf names the tables of runs that differ in the table alone.
func tablesOf(runs []*run) string {
	var tables []string
	for _, r := range runs {
		if number := fmt.Sprint(r.table); !slices.Contains(tables, number) {
			tables = append(tables, number)
		}
	}
	name := "Table "
	if len(tables) > 1 {
		name = "Tables "
	}
	return name + list(tables) + runs[0].suffix() + ", " + runs[0].place.String()
}
