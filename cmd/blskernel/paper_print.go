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
	original int   // index of the method, or -1
	improved []int // of every form of it
	planner  int   // -1 where it was not run

	rows    []bench.TableRow // of the first run
	later   []bench.TableRow
	rebuilt bool // the first run was interrupted
}

func newPaperTable(h bench.TableHead) *paperTable {
	is := func(m, method string) bool { return m == method || strings.HasPrefix(m, method+"/") }
	t := &paperTable{h: h, original: slices.IndexFunc(h.Methods, func(m string) bool { return is(m, "original") }), planner: slices.Index(h.Methods, h.Planner)}
	if h.Scale == 1 && h.HeldOut == 0 {
		t.figures, _ = bench.PaperFigures(h.Table)
	}
	for i, m := range h.Methods {
		if is(m, "improved") {
			t.improved = append(t.improved, i)
		}
	}
	each := func(text func(bench.TableCell) string) func(bench.TableRow) []string {
		return func(r bench.TableRow) []string {
			var cells []string
			for _, c := range r.Cells {
				cells = append(cells, text(c))
			}
			return cells
		}
	}
	repeated := max(0, slices.Index(h.Methods, h.Repeated()))
	t.groups = []group[bench.TableRow]{
		{"", []string{"samples"}, func(r bench.TableRow) []string { return []string{fmt.Sprint(r.Samples) + rebuiltMark(r)} }},
		{"accuracy, %", []string{h.Repeated()}, func(r bench.TableRow) []string { return []string{accuracy(r.Cells[repeated].Accuracy)} }},
		{"step, s", h.Methods, each(func(c bench.TableCell) string { return significant(c.Seconds) })},
		{"total, s", h.Methods, each(func(c bench.TableCell) string { return significant(c.TotalSeconds) })},
	}
	if t.figures.Accuracy != nil {
		t.groups[1].heads = append(t.groups[1].heads, "paper")
		t.groups[1].cells = func(r bench.TableRow) []string {
			return []string{accuracy(r.Cells[repeated].Accuracy), hundredths(at(t.figures.Accuracy, r.Step))}
		}
	}
	for _, i := range t.improved {
		if t.original < 0 {
			break
		}
		heads := []string{"step", "flops", "total"}
		if t.isPaper(i) {
			heads = []string{"step", "flops", "paper", "total"}
		}
		t.groups = append(t.groups, group[bench.TableRow]{h.Methods[i] + " over original", heads, func(r bench.TableRow) []string { return t.speedups(r, i) }})
	}
	if t.comparesPlanner() {
		t.groups = append(t.groups, group[bench.TableRow]{h.Planner + " over " + h.Methods[t.improved[0]], []string{"step"}, func(r bench.TableRow) []string {
			return []string{stepRatio(r, t.improved[0], t.planner)}
		}})
	}
	return t
}

// isPaper tells whether the paper's figures are of the i-th method: of its rule for the form, or of the
// form that this comes to. Those of Table 7 are of the q x q form although q > k.
func (t *paperTable) isPaper(i int) bool {
	form := "large"
	if t.h.Batch <= t.h.Nodes || t.h.Table == 7 {
		form = "small"
	}
	return t.h.Methods[i] == "improved/"+form || t.h.Methods[i] == "improved/paper" && t.h.Table != 7
}

// comparesPlanner tells whether there are a planner's method and another one that is improved.
func (t *paperTable) comparesPlanner() bool {
	return t.planner >= 0 && len(t.improved) > 0 && t.planner != t.improved[0]
}

// rebuiltMark marks a row before which the states were built anew.
func rebuiltMark(r bench.TableRow) string {
	if r.Rebuilt {
		return "*"
	}
	return ""
}

// head says what is run, and prints the heads of the columns.
func (t *paperTable) head(b blskernel.Backend) string {
	text := aboutTable(t.h) + fmt.Sprintf("settings   %v, seed %d\n", trial{ridge(t.h.Lambda), t.h.Shrink}, t.h.Seeds[0]) + backendLine(b)
	if t.planner >= 0 {
		text = strings.TrimSuffix(text, "\n") + "; the planner's method is " + t.h.Planner + "\n"
	}
	return text + "\n" + heads(t.groups)
}

// aboutTable says which table is run, and on which data.
func aboutTable(h bench.TableHead) string {
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
		data += ", whitened with the constants " + h.Whitening
	}
	return fmt.Sprintf("Table %d    %s\ndata       %s\nscale      %v; c = %d\n", h.Table, h.Title, data, h.Scale, h.Targets)
}

func backendLine(b blskernel.Backend) string {
	return fmt.Sprintf("backend    %s, threads: %d\n", b.Name(), blskernel.Threads())
}

// row returns the line of a row of the first run, and keeps those of the others for the foot.
func (t *paperTable) row(r bench.TableRow) string {
	if r.Seed != t.h.Seeds[0] {
		t.later = append(t.later, r)
		return ""
	}
	t.rows = append(t.rows, r)
	t.rebuilt = t.rebuilt || r.Rebuilt
	return line(t.groups, r)
}

// speedups returns the cells of the i-th method, which is improved, over original. Totals across an
// interruption are sums of what two processes measured, and have no speed-up.
func (t *paperTable) speedups(r bench.TableRow, i int) []string {
	original, improved := r.Cells[t.original], r.Cells[i]
	step, flops, paper, total := "-", "-", "-", "-"
	if !t.rebuilt {
		total = hundredths(original.TotalSeconds / improved.TotalSeconds)
	}
	if r.Step > 0 {
		step, flops, paper = stepRatio(r, t.original, i), hundredths(original.FlopsModel/improved.FlopsModel), hundredths(at(t.figures.Speedup, r.Step-1))
	}
	if t.isPaper(i) {
		return []string{step, flops, paper, total}
	}
	return []string{step, flops, total}
}

// stepRatio is how many times as long the step took by one method as by another.
func stepRatio(r bench.TableRow, slow, fast int) string {
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
	switch {
	case t.rebuilt:
		s.WriteString("\n* The run was interrupted before this step, and the states were built anew from all samples: that is in no\n" +
			"  time, the totals from here on are of two processes, and there is no speed-up of them.\n")
	case len(t.rows) > 1 && t.original >= 0:
		s.WriteString("\n")
		for _, i := range t.improved {
			s.WriteString(t.sum(i))
		}
		if t.comparesPlanner() {
			improved := t.improved[0]
			fmt.Fprintf(&s, "%s over %s: %.1f in all updates\n", t.h.Planner, t.h.Methods[improved], t.updates(improved)/t.updates(t.planner))
		}
	}
	if runs := t.accuracies(); runs != "" {
		s.WriteString(runs)
	}
	s.WriteString("\n")
	return s.String()
}

// sum says by how much the i-th method, which is improved, is ahead of original.
func (t *paperTable) sum(i int) string {
	last := t.rows[len(t.rows)-1]
	flops := func(m int) float64 {
		sum := 0.0
		for _, r := range t.rows[1:] {
			sum += r.Cells[m].FlopsModel
		}
		return sum
	}
	text := fmt.Sprintf("%s over original: %.2f in total training time", t.h.Methods[i], last.Cells[t.original].TotalSeconds/last.Cells[i].TotalSeconds)
	if t.figures.Total > 0 && t.isPaper(i) {
		text += fmt.Sprintf(" (paper: %.2f)", t.figures.Total)
	}
	return text + fmt.Sprintf(", %.2f in all updates (by flops: %.2f)\n", t.updates(t.original)/t.updates(i), flops(t.original)/flops(i))
}

// updates returns the time of all updates by a method.
func (t *paperTable) updates(m int) float64 {
	return t.rows[len(t.rows)-1].Cells[m].TotalSeconds - t.rows[0].Cells[m].TotalSeconds
}

// accuracies returns the means and standard deviations of the method of all runs, where there are several.
func (t *paperTable) accuracies() string {
	if len(t.later) == 0 || t.h.Data == bench.RandomImages {
		return ""
	}
	byStep := map[int][]float64{}
	samples := map[int]int{}
	for _, r := range slices.Concat(t.rows, t.later) {
		for _, c := range r.Cells {
			if c.Method == t.h.Repeated() && c.Accuracy != nil {
				byStep[r.Step] = append(byStep[r.Step], *c.Accuracy)
				samples[r.Step] = r.Samples
			}
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\nAccuracy of %s, %%:\n", t.h.Repeated())
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
