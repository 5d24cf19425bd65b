package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

	rows  []bench.TableRow // of the first run
	later []bench.TableRow
}

func newPaperTable(h bench.TableHead) *paperTable {
	t := &paperTable{h: h, original: -1}
	if h.Scale == 1 {
		t.figures, _ = bench.PaperFigures(h.Table)
	}
	for i, m := range h.Methods {
		switch method, _, _ := strings.Cut(m, "/"); {
		case method == "improved":
			t.improved = append(t.improved, i)
		case method == "original" && t.original < 0:
			t.original = i
		}
	}
	type row = bench.TableRow
	repeated := max(0, slices.Index(h.Methods, h.Repeated()))
	t.groups = []ui.Group[row]{
		ui.One("samples", func(r row) string { return fmt.Sprint(r.Samples) }),
		{Title: "accuracy, %", Heads: []string{h.Repeated()}, Cells: func(r row) []string {
			return []string{accuracy(r.Cells[repeated].Accuracy)}
		}},
		ui.Times("step, s", h.Methods, func(r row, m int) float64 { return r.Cells[m].Seconds }),
		ui.Times("total, s", h.Methods, func(r row, m int) float64 { return r.Cells[m].TotalSeconds }),
	}
	if t.figures.Accuracy != nil {
		paper := func(r row) string { return ui.Hundredths(at(t.figures.Accuracy, r.Step)) }
		t.groups = slices.Insert(t.groups, 2, ui.One("paper", paper))
	}
	for _, i := range t.improved {
		if t.original >= 0 {
			t.groups = append(t.groups, ui.Group[row]{
				Title: h.Methods[i] + " over original", Heads: []string{"step", "flops", "paper", "total"},
				Cells: func(r row) []string { return t.speedups(r, i) },
			})
		}
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

// head returns the settings and the heads of the columns.
func (t *paperTable) head(b blskernel.Backend) string {
	data := map[string]string{
		bench.SyntheticDigits: "synthetic digits in place of MNIST: the accuracies are no results on it",
		bench.RandomImages:    "random images in place of small NORB: no data, no accuracies; the times are real",
	}[t.h.Data]
	if data == "" {
		data = t.h.Data
	}
	if t.h.Whitened {
		data += ", whitened with the constants " + t.h.Whitening
	}
	method := ""
	if t.h.Planner != "" {
		method = "; the planner's method is " + t.h.Planner
	}
	lambda := ui.Ridge(t.h.Lambda)
	return fmt.Sprintf("Table %d    %s\ndata       %s\nscale      %v; c = %d\n", t.h.Table, t.h.Title, data, t.h.Scale, t.h.Targets) +
		fmt.Sprintf("settings   lambda = %s, s = %v, seed %d%s\n", &lambda, t.h.Shrink, t.h.Seeds[0], method) +
		backendLine(b) + "\n" + ui.Heads(t.groups)
}

// row returns the line of a row of the first run, and keeps the others for the foot.
func (t *paperTable) row(r bench.TableRow) string {
	if r.Seed != t.h.Seeds[0] {
		t.later = append(t.later, r)
		return ""
	}
	t.rows = append(t.rows, r)
	return ui.Line(t.groups, r)
}

// speedups returns the cells of the i-th method, which is improved, over original.
func (t *paperTable) speedups(r bench.TableRow, i int) []string {
	original, improved := r.Cells[t.original], r.Cells[i]
	step, flops, paper := "-", "-", "-"
	if r.Step > 0 {
		step = ui.Hundredths(original.Seconds / improved.Seconds)
		flops = ui.Hundredths(original.FlopsModel / improved.FlopsModel)
		if t.isPaper(i) {
			paper = ui.Hundredths(at(t.figures.Speedup, r.Step-1))
		}
	}
	total := ui.Hundredths(original.TotalSeconds / improved.TotalSeconds)
	return []string{step, flops, paper, total}
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
	text := "\n"
	if len(t.rows) > 1 && t.original >= 0 {
		for _, i := range t.improved {
			text += t.sum(i)
		}
	}
	return text + t.shares() + t.accuracies() + "\n"
}

// shares returns where the time of each method went in the first run, and at which speed.
func (t *paperTable) shares() string {
	text := ""
	for i, method := range t.h.Methods {
		parts := []bench.StepTime{{Step: "features"}}
		peak := 0.0 // the flops that all seconds had room for
		rest := bench.StepTime{Step: "other"}
		for _, r := range t.rows {
			c := r.Cells[i]
			parts[0].Seconds += r.FeatureSeconds
			parts[0].Flops += r.FeatureFlops
			peak += float64(c.Seconds * r.Peak)
			rest.Seconds += c.Seconds - r.FeatureSeconds
			for _, s := range c.Steps {
				rest.Seconds -= s.Seconds
				at := slices.IndexFunc(parts, func(p bench.StepTime) bool { return p.Step == s.Step })
				if at < 0 {
					at, parts = len(parts), append(parts, bench.StepTime{Step: s.Step})
				}
				parts[at].Seconds += s.Seconds
				parts[at].Flops += s.Flops
			}
		}
		all := bench.StepTime{Step: "all"}
		for _, p := range append(parts, rest) {
			all.Seconds += p.Seconds
			all.Flops += p.Flops
		}
		cells := [][]string{{"step", "s", "share, %", "Gflop", "GFLOP/s", "of peak"}}
		for _, p := range append(parts, rest, all) {
			gflop, speed := p.Flops/1e9, p.Flops/p.Seconds
			cells = append(cells, []string{
				p.Step, fmt.Sprintf("%.3f", p.Seconds), fmt.Sprintf("%.1f", 100*p.Seconds/all.Seconds), fmt.Sprintf("%.1f", gflop),
				gflops(speed / 1e9), ui.Hundredths(speed * all.Seconds / peak),
			})
		}
		text += fmt.Sprintf("\nSteps of %s, FMA peak %s GFLOP/s:\n", method, gflops(peak/all.Seconds/1e9)) + ui.Aligned(cells)
	}
	return text
}

// sum compares the i-th method, which is improved, with original.
func (t *paperTable) sum(i int) string {
	first, last := t.rows[0], t.rows[len(t.rows)-1]
	updates := func(m int) float64 { return last.Cells[m].TotalSeconds - first.Cells[m].TotalSeconds }
	flops := func(m int) (sum float64) {
		for _, r := range t.rows[1:] {
			sum += r.Cells[m].FlopsModel
		}
		return sum
	}
	total := fmt.Sprintf("%.2f in total training time", last.Cells[t.original].TotalSeconds/last.Cells[i].TotalSeconds)
	if t.figures.Total > 0 && t.isPaper(i) {
		total += fmt.Sprintf(" (paper: %.2f)", t.figures.Total)
	}
	return fmt.Sprintf("%s over original: %s, %.2f in all updates (by flops: %.2f)\n",
		t.h.Methods[i], total, updates(t.original)/updates(i), flops(t.original)/flops(i))
}

// accuracies returns the means and standard deviations over several runs.
func (t *paperTable) accuracies() string {
	if len(t.later) == 0 || t.h.Data == bench.RandomImages {
		return ""
	}
	byStep := make([][]float64, t.h.Updates+1)
	for _, r := range slices.Concat(t.rows, t.later) {
		for _, c := range r.Cells {
			if c.Method == t.h.Repeated() && c.Accuracy != nil {
				byStep[r.Step] = append(byStep[r.Step], *c.Accuracy)
			}
		}
	}
	cells := [][]string{{"samples", "runs", "mean", "std. dev.", "least", "most", "paper"}}
	for step, x := range byStep {
		if len(x) > 0 {
			mean, deviation := stat.MeanStdDev(x, nil)
			cells = append(cells, []string{
				fmt.Sprint(t.h.Initial + step*t.h.Batch), fmt.Sprint(len(x)), ui.Hundredths(mean), ui.Hundredths(deviation),
				ui.Hundredths(slices.Min(x)), ui.Hundredths(slices.Max(x)), ui.Hundredths(at(t.figures.Accuracy, step)),
			})
		}
	}
	return fmt.Sprintf("\nAccuracy of %s, %%:\n", t.h.Repeated()) + ui.Aligned(cells)
}

// flopsTable returns Table 1 for one q.
func flopsTable(c bench.FlopsCase) string {
	sign := "<="
	if c.Q > c.K {
		sign = ">"
	}
	cells := [][]string{{"step", "original", "paper", "counted", "improved", "paper", "counted", "speed-up"}}
	million := func(flops float64) string { return fmt.Sprintf("%.3f", flops/1e6) }
	row := func(name string, o, i bench.FlopsCount) {
		cells = append(cells, []string{
			name, o.Formula, million(o.Paper), million(o.Counted), i.Formula, million(i.Paper), million(i.Counted),
			ui.Hundredths(o.Counted / i.Counted),
		})
	}
	for _, s := range c.Steps {
		row(s.Step, s.Original, s.Improved)
	}
	row("sum", c.Original, c.Improved)
	return fmt.Sprintf("Table 1    q = %d %s k = %d, l = %d; million flops of the steps that differ, backend %s\n\n%s\n",
		c.Q, sign, c.K, c.L, c.Backend, ui.Aligned(cells))
}
