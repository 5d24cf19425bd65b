package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// TestShareStarts checks that starts with equal flops get the mean of their times.
func TestShareStarts(t *testing.T) {
	cells := []bench.TableCell{
		{Method: "original", FlopsModel: 7, Seconds: 1}, {Method: "gram", FlopsModel: 7, Seconds: 20},
		{Method: "improved/paper", FlopsModel: 7, Seconds: 2}, {Method: "improved/small", FlopsModel: 7, Seconds: 6},
		{Method: "ridge-inverse", FlopsModel: 7, Seconds: 30}, {Method: "improved", FlopsModel: 8, Seconds: 40},
	}
	shareStarts(cells)
	for i, want := range []float64{3, 20, 3, 3, 30, 40} {
		if got := cells[i].Seconds; got != want {
			t.Errorf("%s: %v; want %v", cells[i].Method, got, want)
		}
	}
}

// smallHead is the head of a small run: Table 3 with two updates. A case may change it.
var smallHead = bench.TableHead{
	PaperTable: bench.PaperTable{Table: 3, Data: bench.MNIST, Initial: 100, Batch: 50, Updates: 2, Nodes: 40},
	Scale:      1, Targets: 10, FeatureNodes: 100, Recipe: bench.RecipeCode, Lambda: 0x1p-30, Shrink: 0.8,
	Methods: []string{"original", "improved/paper", "gram"}, Planner: "gram", Seeds: []uint64{1},
}

// headOf returns the head of a small run of the methods. planner is the planner's choice.
func headOf(planner string, methods ...string) bench.TableHead {
	head := smallHead
	head.Methods, head.Planner = methods, planner
	return head
}

// smallRun returns the lines of a run with the seconds of each method, the same in all three steps of
// each seed. change, which may be nil, changes a row.
func smallRun(head bench.TableHead, change func(r *bench.TableRow), seconds ...float64) []sampleLine {
	lines := []sampleLine{{"table", head}}
	for _, seed := range head.Seeds {
		for n := range 3 {
			r := bench.TableRow{Table: head.Table, Seed: seed, Step: n, Samples: head.Initial + n*head.Batch}
			for i, s := range seconds {
				r.Cells = append(r.Cells, bench.TableCell{Method: head.Methods[i], Seconds: s, FlopsModel: 1})
			}
			if change != nil {
				change(&r)
			}
			lines = append(lines, sampleLine{"row", r})
		}
	}
	return lines
}

// withoutMachine removes the line breaks, the kernel and the CPU of the sample from a text.
func withoutMachine(text string) string {
	return strings.NewReplacer(" (avx512)", "", " on AMD EPYC 9R14 &amp; &lt;friends>", "").
		Replace(strings.Join(strings.Fields(text), " "))
}

// says reports each text of want that got lacks, and each text of not that it has.
func says(t *testing.T, got string, want []string, not ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
	for _, w := range not {
		if strings.Contains(got, w) {
			t.Errorf("%q in\n%s", w, got)
		}
	}
}

// start changes the seconds of the methods in the first step.
func start(seconds ...float64) func(r *bench.TableRow) {
	return func(r *bench.TableRow) {
		for i, s := range seconds {
			if r.Step == 0 {
				r.Cells[i].Seconds = s
			}
		}
	}
}

// TestPages checks what pages of small runs say, and what they do not say.
func TestPages(t *testing.T) {
	fourth, synthetic, seeds, random, claims := smallHead, smallHead, smallHead, smallHead, headOf("gram", "original", "improved/paper", "improved/small", "gram")
	fourth.Table = 4
	random.Table, random.Data = 6, bench.RandomImages
	synthetic.Data = bench.SyntheticDigits
	seeds.Seeds = []uint64{2, 3}
	claims2 := claims
	claims2.Table = 2
	whole := smallRun(smallHead, nil, 3, 2, 1)
	accuracy := func(of func(r *bench.TableRow) float64) func(r *bench.TableRow) {
		return func(r *bench.TableRow) { v := of(r); r.Cells[0].Accuracy = &v }
	}
	bySeed := accuracy(func(r *bench.TableRow) float64 {
		for i := range r.Cells {
			r.Cells[i].Seconds *= float64(r.Seed)
		}
		return []float64{90, 91, 95}[r.Seed-1]
	})
	cell := func(args string, n int, first, second string, ratio, overOne float64) sampleLine {
		return sampleLine{"cell", speed.Result{Op: "dgemm", Args: args, N: n, Threads: 2, Peak: 100, Backends: []speed.Timing{
			{Backend: first, GFLOPS: 50, OfPeak: 0.5, OverOne: overOne}, {Backend: second, GFLOPS: 50 / ratio, Ratio: ratio}}}}
	}
	cost := func(method string, predicted, counted float64) sampleLine {
		total := bench.CostStep{Model: 7, Counted: counted, PredictedSeconds: predicted, MeasuredSeconds: 2}
		return sampleLine{"cost", bench.Cost{Backend: "pure", Method: method, Total: total}}
	}
	count := func(formula string, paper, counted float64) bench.FlopsCount {
		return bench.FlopsCount{Formula: formula, Paper: paper, Counted: counted}
	}
	again := sampleMachine(func(m *result.Machine) { m.Attempts = 2 })
	for name, test := range map[string]struct {
		files     [][]sampleLine
		want, not []string
	}{
		// Similar runs have different titles, with numbers if need be.
		"titles": {[][]sampleLine{whole, smallRun(headOf("gram", "gram", "qr", "original"), nil, 3, 2, 1), whole, smallRun(fourth, nil, 3, 2, 1)}, []string{
			"### Table 3, pure, 2 threads, by original, improved/paper, gram MNIST", "### Table 3, pure, 2 threads, by gram, qr, original MNIST",
			"### Table 3, pure, 2 threads, by original, improved/paper, gram (2) MNIST", "### Table 4, pure, 2 threads MNIST",
		}, nil},
		// The same start takes 30 and 20 s: both totals have 25 s, so that a speed-up is from
		// the updates alone.
		"shared start": {[][]sampleLine{smallRun(smallHead, start(30, 20, 2), 10, 10, 1)}, []string{"**1.00×**", "45.0", "11.2"}, nil},
		"starts of other flops": {[][]sampleLine{smallRun(smallHead, func(r *bench.TableRow) {
			start(30, 20, 2)(r)
			r.Cells[0].FlopsModel = float64(2 - min(r.Step, 1))
		}, 10, 10, 1)}, []string{"**1.25×**"}, nil},
		// The methods of a run in two files: both times are there, and are not compared.
		"apart": {[][]sampleLine{smallRun(headOf("", "original"), nil, 7), smallRun(headOf("", "improved/paper"), nil, 11)},
			[]string{"original", "7.00", "11.0"}, []string{"Speed-up of Improved"}},
		"no planner": {[][]sampleLine{smallRun(headOf("", "original", "improved/paper"), func(r *bench.TableRow) {
			r.Cells[1].Seconds = min(2, 3-float64(r.Step))
		}, 2, 0)}, []string{"**1.20×**"}, []string{"planner chooses"}},
		"interrupted": {[][]sampleLine{whole[:3]}, []string{"The run was interrupted: it has 2 of 3 steps."}, []string{"**1.50×**"}},
		"synthetic digits": {[][]sampleLine{smallRun(synthetic, accuracy(func(*bench.TableRow) float64 { return 91.5 }), 2, 1, 1)}, []string{
			"synthetic digits, k = 40, l from 100", "say nothing about MNIST", "at sizes other than the paper's", "91.50",
		}, []string{"at least the paper's figure", "the paper has 9"}},
		// A number for each kind of data, and the paper's accuracies without ours.
		"data": {[][]sampleLine{whole, smallRun(fourth, nil, 3, 3, 1), smallRun(random, nil, 3, 1.5, 1)}, []string{
			"at least the paper's figure in 0 of 2 runs on MNIST and 1 of 1 run on random images",
			"| Table 6 on random images: samples | 100 | 150 | 200 | | the paper | 88.78 ± 0.33 | 89.27 ± 0.33 | 89.38 ± 0.33 |",
		}, nil},
		"accuracy": {[][]sampleLine{smallRun(smallHead, accuracy(func(*bench.TableRow) float64 { return 98.5 }), 2, 1, 1)}, []string{
			"**98.50%** | test accuracy after all 200 samples of Table 3, with the recipe of the code (1 seed); the paper has 98.57 ± 0.06% |",
			"| the paper | 98.14 ± 0.08 | 98.49 ± 0.06 | 98.57 ± 0.06 |", "changes accuracies by at most 0.00 percentage points.",
		}, nil},
		// Over the seeds of both tables: mean and deviation of accuracies, median of times.
		"seeds": {[][]sampleLine{slices.Concat(smallRun(smallHead, bySeed, 3, 2, 1), smallRun(seeds, bySeed, 3, 2, 1))},
			[]string{"| original, 3 seeds | 92.00 ± 2.65 |", "| improved/paper | 5.00 | 4.00 | 4.00 | 13.0 |"}, nil},
		"a seed that was interrupted": {[][]sampleLine{smallRun(seeds, bySeed, 3, 2, 1)[:5]},
			[]string{"**91.00%** | test accuracy after all 200 samples of Table 3, with the recipe of the code (1 seed)"}, []string{"2 seeds"}},
		// Retraining is in one of two tables: only that one is named where updating loses to
		// it. The form that comes first counts.
		"claims": {[][]sampleLine{smallRun(claims2, nil, 9, 8, 4, 1), smallRun(claims, func(r *bench.TableRow) {
			if r.Step > 0 {
				r.Retraining = &bench.Retraining{PseudoinverseSeconds: 5, PseudoinverseBy: "cholesky", WeightsSeconds: 2}
			}
		}, 9, 8, 4, 1)}, []string{
			"**2 of 2** | updates in which computing A⁺ and W from scratch is faster than updating A⁺ by Improved (tables: 3) |",
			"**7.67×** | speed-up of the method that the planner chooses over Improved, in total training time on the same problem: gram |",
		}, nil},
		"attempts": {[][]sampleLine{append([]sampleLine{again}, whole...)}, []string{" Run 2 times: the FMA peak moved."}, nil},
		// Deviations of 10, 10 and 50%, by method and in all, and a count unlike the model.
		"predictions": {[][]sampleLine{{cost("gram", 2.2, 7), cost("gram", 1.8, 7), cost("qr", 3, 8)}}, []string{
			"| gram | 2 | 10.0 | 10.0 | 10.0 | 2 | | qr | 1 | 50.0 | 50.0 | 50.0 | 0 | | all of at least 0.5 ms | 3 | 10.0 | 46.0 | 50.0 | 2 |",
			"within 10.0% at the median and 46.0% at the 95th percentile on pure", "![2 of 3 predicted times of updates are within 15%",
		}, nil},
		"flops": {[][]sampleLine{{{"flops", bench.FlopsCase{Backend: "pure", L: 400, K: 50, Q: 100, Original: count("", 3e6, 6e6), Improved: count("", 1e6, 15e5),
			Steps: []bench.FlopsStep{{Step: "inverse", Original: count("q³", 1e6, 2e6), Improved: count("2k³", 25e4, 5e5)}}}}}}, []string{
			"### l = 400, k = 50, q = 100 > k, pure |", "| inverse | q³ | 0.00100 | 0.00200 | 2k³ | 0.000250 | 0.000500 | (q/k)³/2 | 4.00 | 4.00 |",
			"| all | – | 0.00300 | 0.00600 | – | 0.00100 | 0.00150 | – | 3.00 | 4.00 |",
		}, nil},
		// Each backend is compared with the others of its own cells.
		"first backend": {[][]sampleLine{{
			cell("NN", 10, "pure", "openblas", 2, 0), cell("NN", 20, "openblas", "pure", 0.5, 0), cell("NT", 20, "openblas", "pure", 2, 0),
			cell("NN", 30, "pure", "openblas", 0.25, 0), cell("NN", 40, "pure", "openblas", 8, 1.75),
		}}, []string{
			"| dgemm NN, pure, 2 threads / openblas | 50.0 (2.00) | – | 50.0 (0.25) | 50.0 (8.00) | 1.59 | 0.25 (NN 30) | 0.50 |",
			"| dgemm, 2 cases, openblas, 2 threads / pure | – | 50.0 (1.00) | – | – | 1.00 | 0.50 (NN 20) | 0.50 |",
			"| dgemm NN, pure, 2 threads / 1 thread | – | – | – | 50.0 (1.75) | 1.75 | 1.75 (NN 40) | 0.50 |",
			"**2.00×** | median speed-up of our backend over OpenBLAS in 3 measurements", "faster in 2 |",
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*result.File
			for i, lines := range test.files {
				files = append(files, readSample(t, fmt.Sprint("file", i), append([]sampleLine{sampleMachine(nil)}, lines...)...))
			}
			page := newPage(t, files...)
			for _, plot := range plotsOf(page) {
				if plot.Name == "accuracy" && strings.Count(plot.SVG(), `"s0 mark`) < 2 { // one is in the legend
					t.Error("the plot of accuracies shows none of ours")
				}
			}
			text, _, _ := strings.Cut(page.Markdown(), "<summary>Machines")
			says(t, withoutMachine(text), test.want, test.not...)
		})
	}
}

// TestNames changes settings of the paper: the name of the run has each change, and such a run is not
// compared with the paper.
func TestNames(t *testing.T) {
	for _, tc := range []struct {
		change     func(*run)
		want       string
		task, same bool
	}{
		{func(*run) {}, "Table 3", true, true},
		{func(s *run) { s.Scale = 0.5 }, "Table 3 at scale 0.5", false, false},
		{func(s *run) { s.Data = bench.SyntheticDigits }, "Table 3 on synthetic digits", false, false},
		{func(s *run) { s.Recipe, s.Lambda, s.Shrink = bench.RecipeText, 0, 0 }, "Table 3, recipe of the text", true, true},
		{func(s *run) { s.Recipe, s.Shrink = bench.RecipeText, 0 }, "Table 3, recipe of the text, lambda = 2^-30", true, false},
		{func(s *run) { s.Lambda = 0x1p-18 }, "Table 3, lambda = 2^-18", true, false},
		{func(s *run) { s.Lambda = 1e-3 }, "Table 3, lambda = 0.001", true, false},
		{func(s *run) { s.Shrink = 1.6 }, "Table 3, s = 1.6", true, false},
		{func(s *run) { s.Whitening = "the paper's" }, "Table 3, whitened with the paper's constants", true, false},
		{func(s *run) { s.PaperTable.Table, s.Data = 7, bench.NORB }, "Table 7", true, true},
		{func(s *run) { s.PaperTable.Table, s.Data = 7, bench.RandomImages }, "Table 7 on random images", false, true},
	} {
		r := &run{Table: result.Table{TableHead: smallHead}}
		tc.change(r)
		if same := r.paperTimes("improved/paper").Total > 0; r.name() != tc.want || r.sameTask() != tc.task || same != tc.same {
			t.Errorf("%q, %v, %v; want %q, %v, %v", r.name(), r.sameTask(), same, tc.want, tc.task, tc.same)
		}
	}
}

// TestForms runs Table 7 in both forms: the paper's figures are for improved/small, and each form has
// flops of its own. At another scale, the paper has no figures.
func TestForms(t *testing.T) {
	// Two updates of 50 samples after 100 and 150, with 40 nodes: 2qkl flops of C each.
	withC := func(flops float64) float64 {
		c := 2. * 50 * 40 * (100 + 150)
		return (3*6 + c) / (3*flops + c)
	}
	for _, scale := range []float64{1, 0.1} {
		head := headOf("", "original", "improved/paper", "improved/small")
		head.Table, head.Data, head.Scale = 7, bench.RandomImages, scale
		names, figures := []string{"Table 7", "Table 7 small"}, "at least the paper's figure in 0 of 1 run on random images"
		want := [][]float64{{1.2, 12. / 11}, {1.2, 1.5}, {withC(5), withC(4)}, {1.10}}
		if scale != 1 {
			names, figures, want[3] = []string{"Table 7 ×0.1", "Table 7 ×0.1 small"}, "**1.09 to 1.20×**", nil
		}
		page := newPage(t, readSample(t, "x", smallRun(head, func(r *bench.TableRow) {
			for i, flops := range []float64{6, 5, 4} {
				r.Cells[i].FlopsModel = flops
			}
			if r.Step > 0 {
				r.Cells[1].Form, r.Cells[2].Form = "large", "small"
			}
		}, 12, 10, 11)...))
		plot := page.Plots[0]
		for i, s := range plot.Series {
			same := func(p Point, v float64) bool { return math.Abs(p.X-v) <= 1e-15 }
			if !slices.EqualFunc(s.Points, want[i], same) || !slices.Equal(plot.Y.Names, names) {
				t.Errorf("%s: %v, %q; want %v", s.Name, s.Points, plot.Y.Names, want[i])
			}
		}
		says(t, page.Markdown(), []string{figures, "| 1.09 |", "| by flops, 6qkl | 1.20 |", "| by flops, 8qkl | 1.00 |"})
	}
}

// TestConditionsApart joins files measured with one thread and with two, with two kernels, by two
// versions, and with a load. No point replaces another, and the versions are named.
func TestConditionsApart(t *testing.T) {
	var lines []sampleLine
	for i, m := range []sampleLine{
		sampleMachine(func(m *result.Machine) { m.Threads = []int{1} }), sampleMachine(nil),
		sampleMachine(func(m *result.Machine) { m.Kernel = "avx2" }), sampleMachine(func(m *result.Machine) { m.Version = "v2" }),
		sampleMachine(func(m *result.Machine) { m.Threads, m.Beside = []int{1, 0}, 1 }),
	} {
		x := float64(i + 1)
		threads := 1
		if i == 4 {
			threads = 0
		}
		cost := bench.Cost{Backend: "pure", Method: "gram", K: 7, Total: bench.CostStep{PredictedSeconds: x, MeasuredSeconds: 100 + x}}
		lines = append(lines, m,
			sampleLine{"cell", speed.Result{Op: "dgemm", Args: "NN", N: 8, Threads: threads, Peak: 1, Backends: []speed.Timing{{Backend: "pure", GFLOPS: 300 + x}}}},
			sampleLine{"cost", cost})
	}
	want := []string{
		"48e7019c0ffe+", "v2", "| 1, default, alongside 1 busy process |", "| dgemm NN, pure (avx512), default threads, alongside 1 busy process on", "| dgemm NN, pure (avx2), 1 thread on",
		"(plots/peak-avx512.svg)", "(2)](plots/peak-avx512-2.svg)", "(3)](plots/peak-avx512-3.svg)", "(plots/peak-avx2.svg)",
		"### pure (avx512), 1 thread on", "### pure (avx512), 2 threads on", "### pure (avx2), 2 threads on",
	}
	for i := range 5 {
		want = append(want, fmt.Sprintf("| %d | ", 301+i))
	}
	says(t, newPage(t, readSample(t, "x", lines...)).Markdown(), want)
}
