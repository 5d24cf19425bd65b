package report

import (
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
	"blskernel/internal/io/names"
)

// totals returns Original's total over all steps divided by the total of a form of Improved: of times,
// of flops without C, of flops with C, and of times in the paper. The first three are NaN if the run is
// incomplete, and the last if the paper has no comparable figure.
func (r *run) totals(improved string) [4]float64 {
	original, flops := r.total("original")
	ours, oursFlops := r.total(improved)
	c, paper := 0.0, nan
	for n := range r.steps {
		c += r.flopsOfC(n)
	}
	if printed := r.paperTimes(improved).Total; printed > 0 {
		paper = printed
	}
	return [4]float64{original / ours, flops / oursFlops, (flops + c) / (oursFlops + c), paper}
}

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

// byFlops returns Original's flops for a step divided by another method's. c, the flops of C or 0, is
// added to both.
func (r *run) byFlops(method string, n int, c float64) float64 {
	return (r.cell("original", n).FlopsModel + c) / (r.cell(method, n).FlopsModel + c)
}

// short returns a short name of the run and the form of Improved, for the plot.
func (r *run) short(improved string) string {
	name := fmt.Sprintf("Table %d", r.PaperTable.Table)
	if r.Scale != 1 {
		name += fmt.Sprintf(" ×%.3g", r.Scale)
	}
	if _, form, ok := strings.Cut(improved, "/"); ok && form != "paper" {
		name += " " + form
	}
	return name
}

func speedupSection(runs []*run) Section {
	sec := Section{
		Title: "Speed-up of Improved over Original",
		Text: `The time of Original (Algorithm 2) divided by the time of Improved (Algorithm 3), features included:
measured, by the flops of both, and in the paper where sizes and form are the same. The paper's
equations (36) to (38) count 8qkl flops, with 2qkl for C, which its experiments need not have
computed: without C there are 6qkl. The total includes the start and all updates.`,
	}
	t := newStepTable("speed-up", 1, lastOf(runs), "total")
	plot := &Plot{Name: "speed-ups", X: Axis{Label: "Original over Improved, total training time"}, Y: Axis{Names: []string{}}, Series: []Series{
		{Name: "measured"}, {Name: "by flops without C, 6qkl"}, {Name: "by flops with C, 8qkl"}, {Name: "the paper"},
	}}
	var ratios, like []float64
	off := 0.0                                           // the largest deviation of a measured ratio from the ratio of flops without C
	reached, alike := map[string]int{}, map[string]int{} // by data
	for _, r := range runs {
		for _, m := range r.Methods {
			if !improved(m) || math.IsNaN(r.speedup(m, 1)) {
				continue
			}
			totals, printed := r.totals(m), r.paperTimes(m).Speedup
			t.add(fmt.Sprintf("%s, %s, %s: measured", r.name(), m, r.where), func(n int) string { return times(r.speedup(m, n)) }, times(totals[0]))
			t.add("by flops, 6qkl", func(n int) string { return times(r.byFlops(m, n, 0)) }, times(totals[1]))
			t.add("by flops, 8qkl", func(n int) string { return times(r.byFlops(m, n, r.flopsOfC(n))) }, times(totals[2]))
			if len(printed) > 0 {
				t.add("the paper", func(n int) string { return times(entry(printed, n-1)) }, times(totals[3]))
			}
			if math.IsNaN(totals[0]) {
				continue
			}
			ratios, off = append(ratios, totals[0]), max(off, math.Abs(totals[0]/totals[1]-1))
			for i, v := range totals {
				if !math.IsNaN(v) { // one series below the other
					plot.Series[i].Points = append(plot.Series[i].Points, Point{X: v, Y: 0.3 - float64(0.2*float64(i)) - float64(len(plot.Y.Names))})
				}
			}
			plot.Y.Names = append(plot.Y.Names, r.short(m))
			if math.IsNaN(totals[3]) {
				continue
			}
			like = append(like, totals[0])
			alike[r.Data]++
			if math.Round(100*totals[0]) >= math.Round(100*totals[3]) { // rounded as printed
				reached[r.Data]++
			}
		}
	}
	if len(t.Rows) > 0 {
		sec.Tables = []Table{t.Table}
	}
	if len(ratios) == 0 {
		return sec
	}
	plot.Title = "Improved is " + between(ratios) + " times as fast as Original in total training time"
	sizes := "at sizes other than the paper's"
	if len(like) > 0 {
		var parts []string
		for _, data := range []string{bench.MNIST, bench.NORB, bench.RandomImages} {
			if alike[data] > 0 {
				parts = append(parts, fmt.Sprintf("%d of %s on %s", reached[data], names.Count(alike[data], "run"), bench.DataName(data)))
			}
		}
		ratios, sizes = like, "at the paper's sizes; at least the paper's figure in "+strings.Join(parts, " and ")
		sec.meaning = []string{fmt.Sprintf("The speed-up of Improved over Original agrees with the flops. The backend counts the flops of the paper's Table 1, and "+
			"the measured totals are within %s%% of the ratio of the flops without C.", names.Fixed(100*off, 0))}
	}
	sec.numbers = []Number{{between(ratios) + "×", "speed-up of Improved (Algorithm 3) over Original (Algorithm 2) in total training time, " + sizes}}
	sec.top = []*Plot{plot}
	return sec
}

func entry(of []float64, n int) float64 {
	if 0 <= n && n < len(of) {
		return of[n]
	}
	return nan
}
