package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench/result"
	"blskernel/bench/speed"

	"gonum.org/v1/gonum/stat"
)

// A comparison is the speed of a backend in a case of an operation, with one number of threads, and its
// divisor: the speed of another backend, the speed on one thread, or none.
type comparison struct {
	machine       *result.Machine
	op, threads   string
	name, against string
}

// oneThread stands for the same backend on one thread.
const oneThread = "1 thread"

// SpeedSection returns the speeds of the operations in files, by order, with their ratios.
func SpeedSection(files []*result.File) Section {
	sec := Section{
		Title: "Speed of the operations",
		Text: `GFLOP/s by order n, and in parentheses the ratio to another backend or routine, or to one thread. The
last columns show the geometric mean and the lowest of these ratios, and the highest speed as a share of
the FMA peak of the same number of threads.`,
	}
	type measured struct{ gflops, ratio, ofPeak float64 }
	var rows ordered[comparison, map[int]measured]
	var orders []int
	var over []float64 // OpenBLAS, by the first backend
	var peaks ordered[string, [2]Series]
	for _, f := range files {
		for _, cell := range f.Cells {
			c := cell.Value
			add := func(name, against string, t speed.Timing, ratio float64) {
				of := rows.at(comparison{cell.Machine, strings.TrimSpace(c.Op + " " + c.Args), speed.ThreadsName(c.Threads), name, against})
				if *of == nil {
					*of = map[int]measured{}
				}
				(*of)[c.N] = measured{t.GFLOPS, ratio, t.OfPeak} // the last measurement counts
				orders = append(orders, c.N)
			}
			for i, t := range c.Backends {
				if at := slices.Index([]string{"pure", "openblas"}, t.Backend); at >= 0 && c.Op+c.Args == "dgemmNN" && c.Threads == 1 && cell.Machine.Beside == 0 {
					s := &peaks.at(cell.Machine.Kernel)[at]
					s.Name, s.Line, s.Points = t.Backend, true, append(s.Points, Point{X: float64(c.N), Y: t.OfPeak})
				}
				first := c.Backends[0]
				switch {
				case i > 0:
					add(first.Backend, t.Backend, first, t.Ratio)
				case len(c.Backends) == 1:
					add(t.Backend, "", t, nan)
				}
				if t.OverOne > 0 {
					add(t.Backend, oneThread, t, t.OverOne)
				}
				if t.Backend == "openblas" && t.Ratio > 0 {
					over = append(over, t.Ratio)
				}
			}
		}
	}
	if len(orders) == 0 {
		return sec
	}
	slices.Sort(orders)
	orders = slices.Compact(orders)
	t := Table{Columns: []string{"n"}}
	for _, n := range orders {
		t.Columns = append(t.Columns, fmt.Sprint(n))
	}
	t.Columns = append(t.Columns, "mean ratio", "lowest", "of peak")
	for _, e := range rows {
		c, cells := e.key, e.value
		row := []string{c.op + ", " + where(c.machine, c.name, c.threads)}
		if c.against != "" {
			row[0] += " / " + c.against
		}
		var ratios []float64
		mean, lowest, ofPeak := nan, nan, 0.0
		for _, n := range orders {
			text := absent
			if m, ok := cells[n]; ok {
				text, ofPeak = significant(m.gflops), max(ofPeak, m.ofPeak)
				if !math.IsNaN(m.ratio) {
					text += " (" + times(m.ratio) + ")"
					ratios = append(ratios, m.ratio)
				}
			}
			row = append(row, text)
		}
		if len(ratios) > 0 {
			mean, lowest = stat.GeometricMean(ratios, nil), slices.Min(ratios)
		}
		t.Rows = append(t.Rows, append(row, times(mean), times(lowest), times(ofPeak)))
	}
	sec.Tables = []Table{t}
	for _, e := range peaks {
		sec.Plots = append(sec.Plots, peakPlot(e.key, e.value[:]))
	}
	if len(over) > 0 {
		sec.numbers = []Number{{times(speed.Median(over)) + "×", fmt.Sprintf("median speed of our backend over OpenBLAS in %s, "+
			"from products of vectors to inverses; faster in %d", count(len(over), "measurement"), above(1, over))}}
	}
	return sec
}

// peakPlot returns a plot of the share of the FMA peak that dgemm reaches on one thread with a kernel.
func peakPlot(kernel string, series []Series) *Plot {
	p := &Plot{Name: "peak-" + cmp.Or(kernel, "unknown"), X: Axis{Label: "n", Log: true}, Y: Axis{Label: "share of the FMA peak, dgemm NN on one thread"}}
	var parts []string
	for _, s := range series {
		best := 0.0
		for _, q := range s.Points {
			best = max(best, q.Y)
		}
		if len(s.Points) > 0 {
			slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
			p.Series, parts = append(p.Series, s), append(parts, fmt.Sprintf("%s with %s", times(best), s.Name))
		}
	}
	p.Title = fmt.Sprintf("With %s a product reaches up to %s of the FMA peak", cmp.Or(kernel, "an unknown kernel"), strings.Join(parts, " and "))
	return p
}
