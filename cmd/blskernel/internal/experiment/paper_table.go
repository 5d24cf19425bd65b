package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"blskernel"
	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"

	"gonum.org/v1/gonum/stat"
)

// paperTable prints the rows of one of Tables 2 to 9 as they come.
type paperTable struct {
	h        bench.TableHead
	figures  bench.Figures
	groups   []ui.Group[bench.TableRow]
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
		cells := ui.Each[bench.TableCell, []bench.TableCell](text)
		return func(r bench.TableRow) []string { return cells(r.Cells) }
	}
	repeated := max(0, slices.Index(h.Methods, h.Repeated()))
	t.groups = []ui.Group[bench.TableRow]{
		{Heads: []string{"samples"}, Cells: func(r bench.TableRow) []string { return []string{fmt.Sprint(r.Samples) + rebuiltMark(r)} }},
		{Title: "accuracy, %", Heads: []string{h.Repeated()}, Cells: func(r bench.TableRow) []string { return []string{accuracy(r.Cells[repeated].Accuracy)} }},
		{Title: "step, s", Heads: h.Methods, Cells: each(func(c bench.TableCell) string { return ui.Significant(c.Seconds) })},
		{Title: "total, s", Heads: h.Methods, Cells: each(func(c bench.TableCell) string { return ui.Significant(c.TotalSeconds) })},
	}
	if t.figures.Accuracy != nil {
		t.groups[1].Heads = append(t.groups[1].Heads, "paper")
		t.groups[1].Cells = func(r bench.TableRow) []string {
			return []string{accuracy(r.Cells[repeated].Accuracy), ui.Hundredths(at(t.figures.Accuracy, r.Step))}
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
		t.groups = append(t.groups, ui.Group[bench.TableRow]{Title: h.Methods[i] + " over original", Heads: heads, Cells: func(r bench.TableRow) []string { return t.speedups(r, i) }})
	}
	if t.comparesPlanner() {
		t.groups = append(t.groups, ui.Group[bench.TableRow]{Title: h.Planner + " over " + h.Methods[t.improved[0]], Heads: []string{"step"}, Cells: func(r bench.TableRow) []string {
			return []string{stepRatio(r, t.improved[0], t.planner)}
		}})
	}
	return t
}

// isPaper reports whether the paper's figures are of the i-th method: of its rule for the form, or of
// the form that results. Those of Table 7 are of the q x q form although q > k.
func (t *paperTable) isPaper(i int) bool {
	form := "large"
	if t.h.Batch <= t.h.Nodes || t.h.Table == 7 {
		form = "small"
	}
	return t.h.Methods[i] == "improved/"+form || t.h.Methods[i] == "improved/paper" && t.h.Table != 7
}

// comparesPlanner reports whether there are a planner's method and another one that is improved.
func (t *paperTable) comparesPlanner() bool {
	return t.planner >= 0 && len(t.improved) > 0 && t.planner != t.improved[0]
}

// rebuiltMark marks a row before which the states were rebuilt.
func rebuiltMark(r bench.TableRow) string {
	if r.Rebuilt {
		return "*"
	}
	return ""
}

// head returns the settings and the heads of the columns.
func (t *paperTable) head(b blskernel.Backend) string {
	text := aboutTable(t.h) + fmt.Sprintf("settings   %v, seed %d\n", trial{ui.Ridge(t.h.Lambda), t.h.Shrink}, t.h.Seeds[0]) + backendLine(b)
	if t.planner >= 0 {
		text = strings.TrimSuffix(text, "\n") + "; the planner's method is " + t.h.Planner + "\n"
	}
	return text + "\n" + ui.Heads(t.groups)
}

// aboutTable names the table and its data.
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

// row returns the line of a row of the first run, and keeps the others for the foot.
func (t *paperTable) row(r bench.TableRow) string {
	if r.Seed != t.h.Seeds[0] {
		t.later = append(t.later, r)
		return ""
	}
	t.rows = append(t.rows, r)
	t.rebuilt = t.rebuilt || r.Rebuilt
	return ui.Line(t.groups, r)
}

// speedups returns the cells of the i-th method, which is improved, over original. Totals across an
// interruption are measured by two processes, and have no speed-up.
func (t *paperTable) speedups(r bench.TableRow, i int) []string {
	original, improved := r.Cells[t.original], r.Cells[i]
	step, flops, paper, total := "-", "-", "-", "-"
	if !t.rebuilt {
		total = ui.Hundredths(original.TotalSeconds / improved.TotalSeconds)
	}
	if r.Step > 0 {
		step, flops, paper = stepRatio(r, t.original, i), ui.Hundredths(original.FlopsModel/improved.FlopsModel), ui.Hundredths(at(t.figures.Speedup, r.Step-1))
	}
	if t.isPaper(i) {
		return []string{step, flops, paper, total}
	}
	return []string{step, flops, total}
}

// stepRatio returns the time of a step by one method over that by another.
func stepRatio(r bench.TableRow, slow, fast int) string {
	if r.Step == 0 {
		return "-"
	}
	return ui.Hundredths(r.Cells[slow].Seconds / r.Cells[fast].Seconds)
}

// at returns an element, or NaN out of range.
func at(x []float64, i int) float64 {
	if i < 0 || i >= len(x) {
		return math.NaN()
	}
	return x[i]
}

func accuracy(a *float64) string {
	if a == nil {
		return "no data"
	}
	return ui.Hundredths(*a)
}

// foot returns the sums of the table, and the accuracies of several runs.
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

// sum compares the i-th method, which is improved, with original.
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

// accuracies returns the means and standard deviations over several runs.
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
			fmt.Fprintf(w, "%d\t%d\t%.2f\t%s\t%.2f\t%.2f\t%s\t\n", samples[step], len(x), mean, ui.Hundredths(sd), slices.Min(x), slices.Max(x), ui.Hundredths(at(t.figures.Accuracy, step)))
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
