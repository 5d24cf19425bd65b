package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An overview collects the speed-ups in total training time: a table with a row for each, and a plot in which each
// table and variant has a place.
type overview struct {
	table        table
	plot         *Plot
	scale        float64             // that all have, or NaN
	variants     map[string][]string // by name of the table
	places       []string            // on the axis: names of tables with variants
	order        []string            // machines, in the order in which they came
	ours         map[string]*series  // by machine
	flops, paper series
	all, like    []float64 // total speed-ups, and those of runs as in the paper
	reached      int       // of these how many are at least the paper's
	below        []string
}

// totalSpeedups compares the totals of all tables that have them.
func totalSpeedups(all []speedup) (figure, []string, *Number) {
	f := figure{Title: "All tables: total training time"}
	all = slices.DeleteFunc(slices.Clone(all), func(s speedup) bool { return !s.whole() })
	if len(all) == 0 {
		return f, nil, nil
	}
	o := newOverview(all)
	for _, s := range all {
		o.add(s)
	}
	finding := o.finding()
	f.Caption, f.plot, f.Tables = finding, o.draw(finding), []table{o.table}
	return f, []string{finding}, o.number()
}

func newOverview(all []speedup) *overview {
	o := &overview{
		table: table{
			Caption: "Speed-up in total training time",
			Columns: []column{{Head: "table", Text: true}, {Head: "measured"}, {Head: "by flops"}, {Head: "the paper"}, {Head: "updates alone, measured"}, {Head: "method and machine", Text: true}},
		},
		plot: &Plot{
			Name: "speed-ups", Title: "Improved over Original, total training time",
			x: axis{nominal: []string{}}, y: axis{label: "speed-up", least: 1, most: 1},
		},
		scale: all[0].scale, variants: map[string][]string{}, ours: map[string]*series{},
		flops: series{name: "by flops", ink: inkOcher, marker: 9, style: pointsOnly},
		paper: series{name: "the paper", ink: inkMuted, marker: 6, style: pointsOnly},
	}
	for _, s := range all {
		if s.scale != o.scale {
			o.scale = math.NaN()
		}
		if of := o.variants[s.setting.name()]; !slices.Contains(of, s.variant) {
			o.variants[s.setting.name()] = append(of, s.variant)
		}
	}
	return o
}

// place returns the place of a speed-up on the axis, which it has with those of other machines.
func (o *overview) place(s speedup) float64 {
	key := s.setting.name() + " by " + s.variant
	if i := slices.Index(o.places, key); i >= 0 {
		return float64(i + 1)
	}
	o.places = append(o.places, key)
	label := fmt.Sprint(s.table)
	if math.IsNaN(o.scale) && !s.full() {
		label += " ×" + short(s.scale)
	}
	if _, form, ok := strings.Cut(s.variant, "/"); ok && form != "paper" && len(o.variants[s.setting.name()]) > 1 {
		label += " " + form
	}
	o.plot.x.nominal = append(o.plot.x.nominal, label)
	at := float64(len(o.places))
	o.flops.add(at, s.total[1])
	o.paper.add(at+0.15, s.paperTotal())
	return at
}

// add adds a run that has a total.
func (o *overview) add(s speedup) {
	at := o.place(s)
	machine := s.place.String()
	if o.ours[machine] == nil {
		n := len(o.order)
		o.order = append(o.order, machine)
		o.ours[machine] = &series{name: "measured: " + machine, ink: []ink{inkBlue, inkVermillion, inkGreen, inkPurple}[n%4], marker: n % len(markers), style: pointsOnly}
	}
	o.ours[machine].add(at, s.total[0])
	name, who := s.setting.name(), s.variant+", "+machine
	o.table.Rows = append(o.table.Rows, []string{name, times(s.total[0]), times(s.total[1]), times(s.paperTotal()), times(s.updates[0]), who})
	o.all = append(o.all, s.total[0])
	if !s.asInPaper() || math.IsNaN(s.paperTotal()) {
		return
	}
	o.like = append(o.like, s.total[0])
	if math.Round(100*s.total[0]) >= math.Round(100*s.paperTotal()) { // as they are printed
		o.reached++
		return
	}
	o.below = append(o.below, fmt.Sprintf("%s (%s): %s against %s, flops say %s", name, who, times(s.total[0]), times(s.paperTotal()), times(s.total[1])))
}

// finding sums up the runs as in the paper, or all where there are none.
func (o *overview) finding() string {
	if len(o.like) == 0 {
		return fmt.Sprintf("In total training time Improved is %s times as fast as Original. None of these runs is of the paper's size and recipe.", between(o.all, times))
	}
	finding := fmt.Sprintf("In total training time Improved, in the form that the paper has times of, is %s times as fast as Original with the paper's sizes and recipe. That is at least the paper's figure in %d of %s.",
		between(o.like, times), o.reached, count(len(o.like), "run", "runs"))
	for _, b := range o.below {
		finding += " It is below it in " + b + "."
	}
	return finding
}

// draw puts the series together: the measured ones side by side, left of what they are compared with.
func (o *overview) draw(about string) *Plot {
	p := o.plot
	p.About = about
	p.x.label = "table of the paper"
	if !math.IsNaN(o.scale) && o.scale != 1 && o.scale != 0 {
		p.x.label += ", at scale " + short(o.scale)
	}
	p.series = []series{even(len(p.x.nominal))}
	beside := map[float64]float64{} // how far the last one at a place was moved
	for i := len(o.order) - 1; i >= 0; i-- {
		at := o.ours[o.order[i]].x
		for j, x := range at {
			beside[x] += min(0.15, 0.5/float64(len(o.order)))
			at[j] -= beside[x]
		}
	}
	for _, who := range o.order {
		p.series = append(p.series, *o.ours[who])
	}
	p.series = append(p.series, o.flops, o.paper)
	return p
}

// number returns the range of the speed-ups.
func (o *overview) number() *Number {
	if len(o.like) == 0 {
		return &Number{between(o.all, times) + "×", "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, at sizes other than the paper's"}
	}
	return &Number{between(o.like, times) + "×", fmt.Sprintf(
		"speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, Tables 2 to 9; at least the paper's figure in %d of %s",
		o.reached, count(len(o.like), "run", "runs"))}
}
