package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/io/names"

	"gonum.org/v1/gonum/stat"
)

// A comparison is the key of a row: the machine, an operation, the threads and the backend name.
// against names the divisor of the ratio: another backend, oneThread, or empty for none.
type comparison struct {
	machine       *result.Machine
	op, threads   string
	name, against string
}

// oneThread stands for the same backend on one thread.
const oneThread = "1 thread"

// A measured holds the speed in one case at order n. ratio is NaN if there is nothing to compare with.
type measured struct {
	args                  string
	n                     int
	gflops, ratio, ofPeak float64
}

// SpeedSection returns the speeds of the operations in files, by order, with their ratios.
func SpeedSection(files []*result.File) Section {
	sec := Section{
		Title: "Speed of the operations",
		Text: `GFLOP/s by order n, and in parentheses the ratio to another backend or routine, or to one thread. Both
are geometric means over the cases of an operation, such as the transposes of its operands. The last
columns show the geometric mean of the ratios, the lowest ratio with its case and order, and the highest
speed as a share of the CPU's FMA peak with its widest vectors, on the same number of threads.`,
	}
	var rows ordered[comparison, []measured]
	var orders []int
	var over ordered[string, []float64] // the speed of the first backend over OpenBLAS, by kernel
	var peaks ordered[*result.Machine, [2]Series]
	for _, f := range files {
		for _, cell := range f.Cells {
			c := cell.Value
			add := func(name, against string, t speed.Timing, ratio float64) {
				of := rows.at(comparison{cell.Machine, c.Op, speed.ThreadsName(c.Threads), name, against})
				*of = append(*of, measured{c.Args, c.N, t.GFLOPS, ratio, t.OfPeak})
				orders = append(orders, c.N)
			}
			for i, t := range c.Backends {
				if at := slices.Index([]string{"pure", "openblas"}, t.Backend); at >= 0 && c.Op+c.Args == "dgemmNN" && c.Threads == 1 && cell.Machine.Beside == 0 {
					s := &peaks.at(cell.Machine)[at]
					s.Name, s.Line, s.Points = t.Backend, true, append(s.Points, Point{X: float64(c.N), Y: t.OfPeak})
				}
				first := c.Backends[0]
				switch {
				case i > 0:
					add(first.Backend, t.Backend, first, t.Ratio)
				case len(c.Backends) == 1:
					add(t.Backend, "", t, nan)
				}
				if i == 0 && t.OverOne > 0 {
					add(t.Backend, oneThread, t, t.OverOne)
				}
				if t.Backend == "openblas" && t.Ratio > 0 && cell.Machine.Beside == 0 {
					of := over.at(cell.Machine.Kernel)
					*of = append(*of, t.Ratio)
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
		t.Rows = append(t.Rows, e.key.row(e.value, orders))
	}
	sec.Tables = []Table{t}
	used := map[string]int{}
	for _, e := range peaks {
		plot := peakPlot(e.key.Kernel, e.value[:])
		if used[plot.Name]++; used[plot.Name] > 1 {
			n := used[plot.Name]
			plot.Name, plot.Title = fmt.Sprintf("%s-%d", plot.Name, n), fmt.Sprintf("%s (%d)", plot.Title, n)
		}
		sec.Plots = append(sec.Plots, plot)
	}
	var medians []string
	var all []float64
	for _, e := range over {
		medians, all = append(medians, times(speed.Median(e.value))+"×"), append(all, e.value...)
		if len(over) > 1 {
			medians[len(medians)-1] += " with " + e.key
		}
	}
	if len(all) > 0 {
		sec.numbers = []Number{{strings.Join(medians, ", "), fmt.Sprintf("median speed-up of our backend over OpenBLAS in %s, "+
			"from products of vectors to inverses; our backend is faster in %d", names.Count(len(all), "measurement"), above(1, all))}}
	}
	return sec
}

// row returns a row of the table for the given measurements: the name, the mean speed and ratio at each
// order, the mean and the lowest ratio, and the largest share of the peak.
func (c comparison) row(of []measured, orders []int) []string {
	mean := func(of []measured, value func(m measured) float64) float64 {
		var all []float64
		for _, m := range of {
			all = append(all, value(m))
		}
		return stat.GeometricMean(all, nil)
	}
	ratio := func(m measured) float64 { return m.ratio }
	args := map[string]bool{}
	lowest, ofPeak := of[0], 0.0
	for _, m := range of {
		args[m.args], ofPeak = true, max(ofPeak, m.ofPeak)
		if m.ratio < lowest.ratio {
			lowest = m
		}
	}
	name := strings.TrimSpace(c.op + " " + of[0].args)
	if len(args) > 1 {
		name = fmt.Sprintf("%s, %d cases", c.op, len(args))
	}
	name += ", " + where(c.machine, c.name, c.threads)
	if c.against != "" {
		name += " / " + c.against
	}
	row := []string{name}
	for _, n := range orders {
		text := absent
		if at := slices.DeleteFunc(slices.Clone(of), func(m measured) bool { return m.n != n }); len(at) > 0 {
			text = significant(mean(at, func(m measured) float64 { return m.gflops }))
			if r := mean(at, ratio); !math.IsNaN(r) {
				text += " (" + times(r) + ")"
			}
		}
		row = append(row, text)
	}
	low := absent
	if !math.IsNaN(lowest.ratio) {
		low = times(lowest.ratio) + " (" + strings.TrimSpace(fmt.Sprint(lowest.args, " ", lowest.n)) + ")"
	}
	return append(row, times(mean(of, ratio)), low, times(ofPeak))
}

// peakPlot returns a plot of the share of the FMA peak that dgemm reaches on one thread with kernel.
func peakPlot(kernel string, series []Series) *Plot {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '-' // in the name of a file
	}, cmp.Or(kernel, "unknown"))
	p := &Plot{Name: "peak-" + name, X: Axis{Label: "n", Log: true}, Y: Axis{Label: "share of the FMA peak, dgemm NN on one thread"}}
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
