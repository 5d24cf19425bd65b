package report

import (
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
)

// A speedup is the time of Original over the time of a form of Improved in a run.
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
	if n == 0 || n > r.last() {
		return 0
	}
	l := float64(r.steps[n-1].Samples)
	return 2 * (float64(r.steps[n].Samples) - l) * float64(r.Nodes) * l
}

// byFlops returns the ratio of the flops of a step by Original and by another method, with or without
// the flops of C.
func (r *run) byFlops(method string, n int, c float64) float64 {
	return (r.cell("original", n).FlopsModel + c) / (r.cell(method, n).FlopsModel + c)
}

// short names a run and the form of Improved for the plot.
func (s speedup) short() string {
	name := fmt.Sprintf("Table %d", s.PaperTable.Table)
	if s.Scale != 1 {
		name += fmt.Sprintf(" ×%.3g", s.Scale)
	}
	if _, form, ok := strings.Cut(s.improved, "/"); ok && form != "paper" {
		name += " " + form
	}
	return name
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
	t := newStepTable("speed-up", 1, last, "total")
	plot := &Plot{Name: "speed-ups", X: Axis{Label: "Original over Improved, total training time"}, Y: Axis{Names: []string{}}, Series: []Series{
		{Name: "measured"}, {Name: "by flops without C, 6qkl"}, {Name: "by flops with C, 8qkl"}, {Name: "the paper"},
	}}
	var ratios, like []float64
	off := 0.0                                          // of a measured total from the flops without C
	reached, runs := map[string]int{}, map[string]int{} // by data
	for _, s := range all {
		t.add(fmt.Sprintf("%s, %s, %s: measured", s.name(), s.improved, s.where), func(n int) string { return times(s.speedup(s.improved, n)) }, times(s.total))
		t.add("by flops, 6qkl", func(n int) string { return times(s.byFlops(s.improved, n, 0)) }, times(s.flops))
		t.add("by flops, 8qkl", func(n int) string { return times(s.byFlops(s.improved, n, s.flopsOfC(n))) }, times(s.withC))
		if len(s.paper.Speedup) > 0 {
			t.add("the paper", func(n int) string { return times(entry(s.paper.Speedup, n-1)) }, times(s.paperTotal))
		}
		if math.IsNaN(s.total) {
			continue
		}
		ratios, off = append(ratios, s.total), max(off, math.Abs(s.total/s.flops-1))
		for i, v := range []float64{s.total, s.flops, s.withC, s.paperTotal} {
			if !math.IsNaN(v) { // one series below the other
				plot.Series[i].Points = append(plot.Series[i].Points, Point{X: v, Y: float64(len(plot.Y.Names)) - 0.3 + float64(0.2*float64(i))})
			}
		}
		plot.Y.Names = append(plot.Y.Names, s.short())
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
		sec.Tables = []Table{t.Table}
	}
	if len(ratios) == 0 {
		return sec
	}
	sizes := "at sizes other than the paper's"
	if len(like) > 0 {
		var parts []string
		for _, data := range []string{bench.MNIST, bench.NORB, bench.RandomImages} {
			if runs[data] > 0 {
				parts = append(parts, fmt.Sprintf("%d of %s on %s", reached[data], count(runs[data], "run"), bench.DataName(data)))
			}
		}
		ratios, sizes = like, "at the paper's sizes; at least the paper's figure in "+strings.Join(parts, " and ")
		sec.meaning = []string{fmt.Sprintf("The speed-up of Improved over Original is what the flops say: the backend counts those of the paper's Table 1, and "+
			"the measured totals are within %s%% of the ratio of the flops without C.", whole(100*off))}
	}
	sec.numbers = []Number{{between(ratios) + "×", "speed of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, " + sizes}}
	plot.Title = "Improved is " + between(ratios) + " times as fast as Original in total training time"
	sec.top = []*Plot{plot}
	return sec
}

// entry returns an element, or NaN if it is missing.
func entry(of []float64, n int) float64 {
	if 0 <= n && n < len(of) {
		return of[n]
	}
	return nan
}
