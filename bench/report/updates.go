package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

func timeSection(runs []*run) section {
	sec := section{
		ID: "times", Title: "Time of an update",
		Text: []string{
			"Seconds from the new rows of A to new weights, on a logarithmic scale, without the features of the batch, which all methods share (the thin line). Where it was measured, what a solution from scratch of all samples so far takes: of the pseudoinverse A⁺ and the weights W, and of W alone. A curve above that of retraining is an update that does not pay.",
		},
	}
	for _, r := range runs {
		if r.last() == 0 {
			continue
		}
		sec.Figures = append(sec.Figures, r.timeFigure())
	}
	sec.findings = timeFindings(runs)
	return sec
}

// timeFigure has the updates of a run by all methods, and the totals.
func (r *run) timeFigure() figure {
	name := r.setting.name()
	f := figure{Title: fmt.Sprintf("%s, %s", name, r.place)}
	p := &Plot{
		Name: slug("times " + name + " " + r.backends), Title: fmt.Sprintf("%s: time of an update, %s", name, r.place),
		x: axis{label: "training samples after the update"}, y: axis{label: "time, s", log: true},
	}
	t := table{Caption: name + ": time of each step without its features", Columns: []column{{Head: "samples"}}}
	last := r.last()
	for n := 0; n <= last; n++ {
		label := fmt.Sprint(r.samples(n))
		if n == 0 {
			label += " (start)"
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
	f.Caption = strings.Join(r.timeSentences(), " ")
	if missing := r.missing(); missing != "" {
		f.Caption += " " + missing
	}
	if f.Caption == "" {
		f.Caption = "Times of " + count(len(r.methods), "method.", "methods.")
	}
	f.Caption = strings.TrimSpace(f.Caption)
	p.About = f.Title + ". " + f.Caption
	f.plot, f.Tables = p, []table{t, r.totals()}
	return f
}

func (r *run) retrained() bool {
	for _, s := range r.steps {
		if s.retraining != nil {
			return true
		}
	}
	return false
}

// totals is a row for each method: all steps with their features.
func (r *run) totals() table {
	t := table{
		Caption: r.setting.name() + ": total training time, features included",
		Columns: []column{{Head: "method", Text: true}, {Head: "start and updates", Unit: "s"}, {Head: "updates", Unit: "s"}, {Head: "times the planner's"}},
	}
	if r.missing() != "" {
		t.Caption += ", as far as the run came"
	}
	last := r.last()
	for _, m := range r.methods {
		label := m
		if m == r.planner {
			label += " (planner's choice)"
		}
		t.Rows = append(t.Rows, []string{
			label, significant(r.medianSum(0, last, secondsOf(m))), significant(r.medianSum(1, last, secondsOf(m))),
			times(r.medianRatio(0, last, secondsOf(m), secondsOf(r.planner))),
		})
	}
	return t
}

// against returns, for each update that has both, the time of one thing over that of another.
func (r *run) against(over, under func(*step) (float64, bool)) []float64 {
	var ratios []float64
	for n := 1; n <= r.last(); n++ {
		if v := r.medianRatio(n, n, over, under); !math.IsNaN(v) {
			ratios = append(ratios, v)
		}
	}
	return ratios
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

// timeSentences says where updating loses to retraining and by how much the planner's method wins.
func (r *run) timeSentences() []string {
	var says []string
	for _, m := range r.variants("improved") {
		by, byW := r.against(updateOf(m), pseudoinverseOf), r.against(updateOf(m), weightsOf)
		if len(by) > 0 {
			says = append(says, fmt.Sprintf("Updating the pseudoinverse by %s takes %s times as long as computing A⁺ and W from scratch, and %s times as long as W from scratch: it loses at %d of %s.",
				m, between(by, times), between(byW, times), above(by), count(len(by), "update", "updates")))
		}
	}
	last := r.last()
	mine := r.medianSum(0, last, secondsOf(r.planner))
	if math.IsNaN(mine) {
		return says
	}
	wins := fmt.Sprintf("The planner's method, %s, takes %s\u00a0s for the start and %s with features", r.planner, significant(mine), count(last, "update", "updates"))
	for _, m := range append(r.variants("improved"), r.variants("original")...) {
		if v := r.medianRatio(0, last, secondsOf(m), secondsOf(r.planner)); m != r.planner && !math.IsNaN(v) {
			wins += fmt.Sprintf("; %s takes %s times as long", m, times(v))
		}
	}
	if by := r.against(weightsOf, updateOf(r.planner)); len(by) > 0 {
		wins += fmt.Sprintf("; W from scratch takes %s times as long as its updates", between(by, times))
	}
	return append(says, wins+".")
}

// timeFindings sums up the sentences of runs of the same size at the same place.
func timeFindings(runs []*run) []string {
	type kind struct {
		scale float64
		place
	}
	var kinds []kind
	of := map[kind][]*run{}
	for _, r := range runs {
		k := kind{r.scale, r.place}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], r)
	}
	var findings []string
	for _, k := range kinds {
		var by, byW, wins, updates []float64
		var tables, totals []string
		for _, r := range of[k] {
			for _, m := range r.variants("improved") {
				by, byW = append(by, r.against(updateOf(m), pseudoinverseOf)...), append(byW, r.against(updateOf(m), weightsOf)...)
				if m == r.planner {
					continue
				}
				if v := r.medianRatio(0, r.updates, secondsOf(m), secondsOf(r.planner)); !math.IsNaN(v) {
					wins = append(wins, v)
				}
				updates = append(updates, r.against(updateOf(m), updateOf(r.planner))...)
			}
			number := fmt.Sprint(r.table)
			if !slices.Contains(tables, number) {
				tables = append(tables, number)
			}
			if v := r.medianSum(0, r.updates, secondsOf(r.planner)); !math.IsNaN(v) && r.variants("improved") != nil {
				totals = append(totals, fmt.Sprintf("%s\u00a0s for Table %s by %s", significant(v), number, r.planner))
			}
		}
		name := "Table "
		if len(tables) > 1 {
			name = "Tables "
		}
		name += list(tables)
		if s := of[k][0].setting; !s.full() {
			name += " at scale " + short(s.scale)
		}
		name += ", " + k.place.String() + ": "
		if len(by) > 0 {
			findings = append(findings, name+fmt.Sprintf("updating the pseudoinverse by Improved loses to retraining at %d of %s: it takes %s times as long as computing A⁺ and W from scratch, and %s times as long as W from scratch.",
				above(by), count(len(by), "update", "updates"), between(by, times), between(byW, times)))
		}
		if len(wins) > 0 {
			findings = append(findings, name+fmt.Sprintf("the planner's method is %s times as fast as Improved in the whole training with features, and %s times in the updates alone; the whole takes %s.",
				between(wins, times), between(updates, times), list(totals)))
		}
	}
	return findings
}
