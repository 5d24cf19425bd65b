package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"blskernel"
	"blskernel/bench"

	"gonum.org/v1/gonum/stat"
)

// paperTable prints the rows of one of Tables 2 to 9 as they come.
type paperTable struct {
	h        bench.TableHead
	figures  bench.Figures
	groups   []group[bench.TableRow]
	original int // index of the method, or -1
	improved int
	planner  int

	rows  []bench.TableRow // of the first run
	later []bench.TableRow
}

func newPaperTable(h bench.TableHead) *paperTable {
	t := &paperTable{h: h}
	if h.Scale == 1 && h.HeldOut == 0 {
		t.figures, _ = bench.PaperFigures(h.Table)
	}
	index := func(name string) int {
		return slices.IndexFunc(h.Methods, func(m string) bool { return m == name || strings.HasPrefix(m, name+"/") })
	}
	t.original, t.improved, t.planner = index("original"), index("improved"), slices.Index(h.Methods, h.Planner)
	each := func(text func(bench.TableCell) string) func(bench.TableRow) []string {
		return func(r bench.TableRow) []string {
			var cells []string
			for _, c := range r.Cells {
				cells = append(cells, text(c))
			}
			return cells
		}
	}
	t.groups = []group[bench.TableRow]{
		{"", []string{"samples"}, func(r bench.TableRow) []string { return []string{fmt.Sprint(r.Samples)} }},
		{"accuracy, %", []string{h.Planner}, func(r bench.TableRow) []string { return []string{accuracy(r.Cells[t.planner].Accuracy)} }},
		{"step, s", h.Methods, each(func(c bench.TableCell) string { return significant(c.Seconds) })},
		{"total, s", h.Methods, each(func(c bench.TableCell) string { return significant(c.TotalSeconds) })},
	}
	if t.figures.Accuracy != nil {
		t.groups[1].heads = append(t.groups[1].heads, "paper")
		t.groups[1].cells = func(r bench.TableRow) []string {
			return []string{accuracy(r.Cells[t.planner].Accuracy), hundredths(at(t.figures.Accuracy, r.Step))}
		}
	}
	if t.original >= 0 && t.improved >= 0 {
		t.groups = append(t.groups, group[bench.TableRow]{h.Methods[t.improved] + " over original", []string{"step", "flops", "paper", "total"}, t.speedups})
	}
	if t.improved >= 0 && t.planner != t.improved {
		t.groups = append(t.groups, group[bench.TableRow]{h.Planner + " over " + h.Methods[t.improved], []string{"step"}, func(r bench.TableRow) []string {
			return []string{ratio(r, t.improved, t.planner)}
		}})
	}
	return t
}

// head says what is run, and prints the heads of the columns.
func (t *paperTable) head(b blskernel.Backend) string {
	h := t.h
	var s strings.Builder
	fmt.Fprintf(&s, "Table %d    %s\n", h.Table, h.Title)
	data := map[string]string{
		bench.SyntheticDigits: "synthetic digits in place of MNIST: the accuracies are no results on it",
		bench.RandomImages:    "random images in place of small NORB: no data, no accuracies; the times are real",
	}[h.Data]
	if data == "" {
		data = h.Data
	}
	if h.HeldOut > 0 {
		data += fmt.Sprintf("; tested on its last %d training samples", h.HeldOut)
	}
	if h.Whitened {
		data += ", whitened"
	}
	lambda := ridge(h.Lambda)
	fmt.Fprintf(&s, "data       %s\nscale      %v; c = %d, lambda = %v, s = %v, seed %d\n", data, h.Scale, h.Targets, &lambda, h.Shrink, h.Seeds[0])
	fmt.Fprintf(&s, "backend    %s, threads: %d; the planner's method is %s\n\n", b.Name(), blskernel.Threads(), h.Planner)
	return s.String() + heads(t.groups)
}

// row returns the line of a row of the first run, and keeps those of the others for the foot.
func (t *paperTable) row(r bench.TableRow) string {
	if r.Seed != t.h.Seeds[0] {
		t.later = append(t.later, r)
		return ""
	}
	t.rows = append(t.rows, r)
	return line(t.groups, r)
}

// speedups returns the cells of improved over original.
func (t *paperTable) speedups(r bench.TableRow) []string {
	original, improved := r.Cells[t.original], r.Cells[t.improved]
	cells := []string{"-", "-", "-", hundredths(original.TotalSeconds / improved.TotalSeconds)}
	if r.Step > 0 {
		cells[0], cells[1] = ratio(r, t.original, t.improved), hundredths(original.FlopsModel/improved.FlopsModel)
		cells[2] = hundredths(at(t.figures.Speedup, r.Step-1))
	}
	return cells
}

// ratio is how many times as long the step took by one method as by another.
func ratio(r bench.TableRow, slow, fast int) string {
	if r.Step == 0 {
		return "-"
	}
	return hundredths(r.Cells[slow].Seconds / r.Cells[fast].Seconds)
}

// at returns an element, or NaN where there is none.
func at(x []float64, i int) float64 {
	if i < 0 || i >= len(x) {
		return math.NaN()
	}
	return x[i]
}

// hundredths writes a number with two decimals, and NaN, which is not known, as a dash.
func hundredths(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

func accuracy(a *float64) string {
	if a == nil {
		return "no data"
	}
	return hundredths(*a)
}

// foot sums up the table, and the accuracies where there were several runs.
func (t *paperTable) foot() string {
	var s strings.Builder
	if n := len(t.rows); n > 1 && t.original >= 0 && t.improved >= 0 {
		first, last := t.rows[0], t.rows[n-1]
		updates := func(m int) float64 { return last.Cells[m].TotalSeconds - first.Cells[m].TotalSeconds }
		flops := func(m int) float64 {
			sum := 0.0
			for _, r := range t.rows[1:] {
				sum += r.Cells[m].FlopsModel
			}
			return sum
		}
		fmt.Fprintf(&s, "\n%s over original: %.2f in total training time", t.h.Methods[t.improved], last.Cells[t.original].TotalSeconds/last.Cells[t.improved].TotalSeconds)
		if t.figures.Total > 0 {
			fmt.Fprintf(&s, " (paper: %.2f)", t.figures.Total)
		}
		fmt.Fprintf(&s, ", %.2f in all updates (by flops: %.2f)\n", updates(t.original)/updates(t.improved), flops(t.original)/flops(t.improved))
		if t.planner != t.improved {
			fmt.Fprintf(&s, "%s over %s: %.1f in all updates\n", t.h.Planner, t.h.Methods[t.improved], updates(t.improved)/updates(t.planner))
		}
	}
	if runs := t.accuracies(); runs != "" {
		s.WriteString(runs)
	}
	s.WriteString("\n")
	return s.String()
}

// accuracies returns the means and standard deviations of the planner's method over the runs, where there are several.
func (t *paperTable) accuracies() string {
	if len(t.later) == 0 || t.h.Data == bench.RandomImages {
		return ""
	}
	byStep := map[int][]float64{}
	samples := map[int]int{}
	for _, r := range slices.Concat(t.rows, t.later) {
		for _, c := range r.Cells {
			if c.Method == t.h.Planner && c.Accuracy != nil {
				byStep[r.Step] = append(byStep[r.Step], *c.Accuracy)
				samples[r.Step] = r.Samples
			}
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\nAccuracy of %s, %%:\n", t.h.Planner)
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "samples\truns\tmean\tstd. dev.\tleast\tmost\tpaper\t")
	for step := 0; step <= t.h.Updates; step++ {
		if x := byStep[step]; len(x) > 0 {
			mean, sd := stat.MeanStdDev(x, nil)
			fmt.Fprintf(w, "%d\t%d\t%.2f\t%s\t%.2f\t%.2f\t%s\t\n", samples[step], len(x), mean, hundredths(sd), slices.Min(x), slices.Max(x), hundredths(at(t.figures.Accuracy, step)))
		}
	}
	_ = w.Flush() // into memory
	return s.String()
}

// printFlops prints Table 1 for one q.
func printFlops(w io.Writer, c bench.FlopsCase) error {
	sign := "<="
	if c.Q > c.K {
		sign = ">"
	}
	fmt.Fprintf(w, "Table 1    q = %d %s k = %d, l = %d; million flops of the steps that differ, backend %s\n\n", c.Q, sign, c.K, c.L, c.Backend)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "step\toriginal\tpaper\tcounted\timproved\tpaper\tcounted\tspeed-up\t")
	row := func(name string, o, i bench.FlopsCount) {
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%.3f\t%s\t%.3f\t%.3f\t%.2f\t\n", name, o.Formula, o.Paper/1e6, o.Counted/1e6, i.Formula, i.Paper/1e6, i.Counted/1e6, o.Counted/i.Counted)
	}
	for _, s := range c.Steps {
		row(s.Step, s.Original, s.Improved)
	}
	row("sum", c.Original, c.Improved)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
