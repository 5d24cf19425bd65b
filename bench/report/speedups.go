package report

import (
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
)

// A speedup is the time of Original over that of a form of Improved in a run.
type speedup struct {
	*run
	improved     string
	total, flops float64 // with the start, measured and by flops; NaN unless the run is whole
	paper        bench.Figures
	paperTotal   float64 // NaN if none compares
}

func speedupsOf(runs []*run) (all []speedup) {
	for _, r := range runs {
		for _, method := range r.Methods {
			if !improved(method) || math.IsNaN(r.speedup(method, 1)) {
				continue
			}
			s := speedup{run: r, improved: method, paper: r.paperTimes(method), paperTotal: nan}
			if s.paper.Total > 0 {
				s.paperTotal = s.paper.Total
			}
			original, flops := r.total("original")
			ours, oursFlops := r.total(method)
			s.total, s.flops = original/ours, flops/oursFlops
			all = append(all, s)
		}
	}
	return all
}

// speedup returns the time of a step by Original over that by another method.
func (r *run) speedup(method string, n int) float64 {
	return r.cell("original", n).Seconds / r.cell(method, n).Seconds
}

func speedupSection(all []speedup) Section {
	sec := Section{
		Title: "Speed-up of Improved over Original",
		Text: `The time of Original (Algorithm 2) over that of Improved (Algorithm 3), with the features: measured,
by the flops of both, and in the paper where settings and form are the same. The total has the start
and all updates.`,
	}
	last := 0
	for _, s := range all {
		last = max(last, s.last())
	}
	t := Table{Columns: stepColumns("speed-up", 1, last, "total")}
	var ratios, like []float64
	reached := 0
	for _, s := range all {
		name := fmt.Sprintf("%s, %s, %s", s.name(), s.improved, s.where)
		t.Rows = append(t.Rows,
			stepRow(name+": measured", times, 1, last, func(n int) float64 { return s.speedup(s.improved, n) }, s.total),
			stepRow("by flops", times, 1, last, func(n int) float64 {
				return s.cell("original", n).FlopsModel / s.cell(s.improved, n).FlopsModel
			}, s.flops))
		if len(s.paper.Speedup) > 0 {
			t.Rows = append(t.Rows, stepRow("the paper", times, 1, last, func(n int) float64 { return entry(s.paper.Speedup, n-1) }, s.paperTotal))
		}
		if math.IsNaN(s.total) {
			continue
		}
		ratios = append(ratios, s.total)
		if math.IsNaN(s.paperTotal) {
			continue
		}
		like = append(like, s.total)
		if math.Round(100*s.total) >= math.Round(100*s.paperTotal) { // as they are printed
			reached++
		}
	}
	if len(all) > 0 {
		sec.Tables = []Table{t}
	}
	const text = "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, "
	switch {
	case len(like) > 0:
		sec.numbers = []Number{{between(like) + "×", text + fmt.Sprintf("with the paper's settings; at least the paper's figure in %d of %s",
			reached, count(len(like), "run"))}}
	case len(ratios) > 0:
		sec.numbers = []Number{{between(ratios) + "×", text + "at sizes other than the paper's"}}
	}
	return sec
}

// entry returns an element, or NaN where there is none.
func entry(of []float64, n int) float64 {
	if 0 <= n && n < len(of) {
		return of[n]
	}
	return nan
}

// plotOf shows the total speed-ups, or is nil if there are none.
func plotOf(all []speedup) *Plot {
	p := &Plot{Title: "Improved over Original, total training time", Series: []string{"measured", "by flops", "the paper"}}
	for _, s := range all {
		if math.IsNaN(s.total) {
			continue
		}
		name := fmt.Sprintf("Table %d", s.PaperTable.Table)
		if s.Scale != 1 {
			name += fmt.Sprintf(" ×%.3g", s.Scale)
		}
		if _, form, ok := strings.Cut(s.improved, "/"); ok && form != "paper" {
			name += " " + form
		}
		p.Groups = append(p.Groups, Group{name, []float64{s.total, s.flops, s.paperTotal}})
	}
	if len(p.Groups) == 0 {
		return nil
	}
	return p
}
