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
	total        float64 // with the start, measured; NaN unless the run is whole
	flops, withC float64 // the same by flops, without C and with it
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
			c := 0.0
			for n := range r.steps {
				c += r.flopsOfC(n)
			}
			s.total, s.flops, s.withC = original/ours, flops/oursFlops, (flops+c)/(oursFlops+c)
			all = append(all, s)
		}
	}
	return all
}

// speedup returns the time of a step by Original over that by another method.
func (r *run) speedup(method string, n int) float64 {
	return r.cell("original", n).Seconds / r.cell(method, n).Seconds
}

// flopsOfC returns the 2qkl flops of C in a step, which the paper's equations (36) to (38) count.
func (r *run) flopsOfC(n int) float64 {
	if n == 0 {
		return 0
	}
	l := float64(r.steps[n-1].Samples)
	return 2 * (float64(r.steps[n].Samples) - l) * float64(r.Nodes) * l
}

// byFlops returns the flops of a step by Original over those by another method, with the flops c added
// to both.
func (r *run) byFlops(method string, n int, c float64) float64 {
	return (r.cell("original", n).FlopsModel + c) / (r.cell(method, n).FlopsModel + c)
}

func speedupSection(all []speedup) Section {
	sec := Section{
		Title: "Speed-up of Improved over Original",
		Text: `The time of Original (Algorithm 2) over that of Improved (Algorithm 3), with the features: measured,
by the flops of both, and in the paper where sizes and form are the same. The paper's equations (36)
to (38) count 8qkl flops, with 2qkl for C, which its experiments need not have computed: without C
there are 6qkl. The total has the start and all updates.`,
	}
	last := 0
	for _, s := range all {
		last = max(last, s.last())
	}
	t := Table{Columns: stepColumns("speed-up", 1, last, "total")}
	var ratios, like []float64
	reached, runs := map[string]int{}, map[string]int{} // by data
	for _, s := range all {
		name := fmt.Sprintf("%s, %s, %s", s.name(), s.improved, s.where)
		t.Rows = append(t.Rows,
			stepRow(name+": measured", times, 1, last, func(n int) float64 { return s.speedup(s.improved, n) }, s.total),
			stepRow("by flops, 6qkl", times, 1, last, func(n int) float64 { return s.byFlops(s.improved, n, 0) }, s.flops),
			stepRow("by flops, 8qkl", times, 1, last, func(n int) float64 {
				if n > s.last() {
					return nan
				}
				return s.byFlops(s.improved, n, s.flopsOfC(n))
			}, s.withC))
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
		runs[s.Data]++
		if math.Round(100*s.total) >= math.Round(100*s.paperTotal) { // as they are printed
			reached[s.Data]++
		}
	}
	if len(all) > 0 {
		sec.Tables = []Table{t}
	}
	const text = "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, "
	switch {
	case len(like) > 0:
		var parts []string
		for _, data := range []string{bench.MNIST, bench.NORB, bench.RandomImages} {
			if runs[data] > 0 {
				parts = append(parts, fmt.Sprintf("%d of %s on %s", reached[data], count(runs[data], "run"), bench.DataName(data)))
			}
		}
		sec.numbers = []Number{{between(like) + "×", text + "at the paper's sizes; at least the paper's figure in " + strings.Join(parts, " and ")}}
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
	p := &Plot{Title: "Improved over Original, total training time", Series: []string{"measured", "6qkl flops", "8qkl flops", "the paper"}}
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
		p.Groups = append(p.Groups, Group{name, []float64{s.total, s.flops, s.withC, s.paperTotal}})
	}
	if len(p.Groups) == 0 {
		return nil
	}
	return p
}
