package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// TestShareStarts gives starts of as many flops the mean of their times.
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

// A small run: Table 3 with two updates, and what else a case wants.
var smallHead = bench.TableHead{
	PaperTable: bench.PaperTable{Table: 3, Data: bench.MNIST, Initial: 100, Batch: 50, Updates: 2, Nodes: 40},
	Scale:      1, Targets: 10, Lambda: paperLambda, Shrink: 0.8,
	Methods: []string{"original", "improved/paper", "gram"}, Planner: "gram", Repeat: "gram", Seeds: []uint64{1},
}

// smallRow is a row with the seconds of each method; negative ones leave a method out.
func smallRow(head bench.TableHead, n int, seconds ...float64) bench.TableRow {
	r := bench.TableRow{Table: head.Table, Seed: head.Seeds[0], Step: n, Samples: head.Initial + n*head.Batch}
	for i, s := range seconds {
		if s >= 0 {
			r.Cells = append(r.Cells, bench.TableCell{Method: head.Methods[i], Seconds: s, FlopsModel: 1})
		}
	}
	return r
}

// pageText is all that the page of some lines says, with the machine's line above them.
func pageText(t *testing.T, files ...[]sampleLine) string {
	t.Helper()
	var read []*result.File
	for i, lines := range files {
		read = append(read, readSample(t, fmt.Sprint("file", i), append([]sampleLine{sampleMachine("x", "pure")}, lines...)))
	}
	text, _, _ := strings.Cut(markdown(t, newPage(t, read...)), "<summary>Machines")
	return withoutMachine(text)
}

// withoutMachine leaves line breaks and the kernel and the CPU of the sample out of a text.
func withoutMachine(text string) string {
	return strings.NewReplacer(" (avx512)", "", " on AMD EPYC 9R14 &amp; &lt;friends>", "").
		Replace(strings.Join(strings.Fields(text), " "))
}

// says reports what a text lacks, and what it has and should not.
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

// TestTitles gives the tables of like runs titles of their own: by other methods, and the same once
// more.
func TestTitles(t *testing.T) {
	lines := func(head bench.TableHead) []sampleLine {
		lines := []sampleLine{{"table", head}}
		for n := range 3 {
			lines = append(lines, sampleLine{"row", smallRow(head, n, 3, 2, 1)})
		}
		return lines
	}
	other, third := smallHead, smallHead
	other.Methods, third.Table = []string{"gram", "qr", "original"}, 4
	says(t, pageText(t, lines(smallHead), lines(other), lines(smallHead), lines(third)), []string{
		"### Table 3, pure, 2 threads, by original, improved/paper, gram MNIST", "### Table 3, pure, 2 threads, by gram, qr, original MNIST",
		"### Table 3, pure, 2 threads, by original, improved/paper, gram (2) MNIST", "### Table 4, pure, 2 threads MNIST",
	})
}

// TestSharedStart times the same start at 30 and 20 s: the total of both methods has 25 s, and what is
// faster is the updates alone. Starts of other flops are not the same.
func TestSharedStart(t *testing.T) {
	head := smallHead
	rows := []sampleLine{{"table", head}, {"row", smallRow(head, 0, 30, 20, 2)}, {"row", smallRow(head, 1, 10, 10, 1)}, {"row", smallRow(head, 2, 10, 10, 1)}}
	says(t, pageText(t, rows), []string{"**1.00×**", "45.0", "11.2"})
	other := smallRow(head, 0, 30, 20, 2)
	other.Cells[0].FlopsModel = 2
	rows[1].value = other
	says(t, pageText(t, rows), []string{"**1.25×**"})
}

// TestApart has the methods of a run in two files: their times are both there, and are not compared.
func TestApart(t *testing.T) {
	var files [][]sampleLine
	for i, method := range []string{"original", "improved/paper"} {
		head := smallHead
		head.Methods, head.Planner = []string{method}, ""
		lines := []sampleLine{{"table", head}}
		for n := range 3 {
			lines = append(lines, sampleLine{"row", smallRow(head, n, float64(7+4*i))})
		}
		files = append(files, lines)
	}
	says(t, pageText(t, files...), []string{"original", "7.00", "11.0"}, "Speed-up of Improved")
}

// TestPlanner has a run without the planner's method: nothing is said of it.
func TestPlanner(t *testing.T) {
	head := smallHead
	head.Methods, head.Planner, head.Repeat = head.Methods[:2], "", "improved/paper"
	rows := []sampleLine{{"table", head}}
	for n := range 3 {
		rows = append(rows, sampleLine{"row", smallRow(head, n, 2, min(2, 3-float64(n)))})
	}
	says(t, pageText(t, rows), []string{"**1.20×**"}, "planner chooses")
}

// TestNames has settings that are not the paper's: each is in the name, and none is compared with the
// paper as if it were.
func TestNames(t *testing.T) {
	for _, tc := range []struct {
		change     func(*run)
		want       string
		task, same bool
	}{
		{func(*run) {}, "Table 3", true, true},
		{func(s *run) { s.Scale = 0.5 }, "Table 3 at scale 0.5", false, false},
		{func(s *run) { s.Data = bench.SyntheticDigits }, "Table 3 on synthetic digits", false, false},
		{func(s *run) { s.Lambda = 0x1p-18 }, "Table 3, lambda = 2^-18", true, false},
		{func(s *run) { s.Lambda = 1e-3 }, "Table 3, lambda = 0.001", true, false},
		{func(s *run) { s.Shrink = 1.6 }, "Table 3, s = 1.6", true, false},
		{func(s *run) { s.PaperTable.Table, s.Data = 7, bench.NORB }, "Table 7", true, true},
		{func(s *run) { s.PaperTable.Table, s.Data = 7, bench.RandomImages }, "Table 7 on random images", false, true},
	} {
		r := &run{Table: result.Table{TableHead: smallHead}}
		tc.change(r)
		if same := r.paperTimes("improved/paper").Total > 0; r.name() != tc.want || r.sameTask() != tc.task || same != tc.same {
			t.Errorf("%q, %v, %v; want %q, %v, %v", r.name(), r.sameTask(), same, tc.want, tc.task, tc.same)
		}
	}
	head := smallHead
	head.Data, head.Title = bench.SyntheticDigits, "MNIST"
	accuracy := 91.5
	row := smallRow(head, 0, 1, 1, 1)
	row.Cells[0].Accuracy = &accuracy
	rows := []sampleLine{{"table", head}, {"row", row}, {"row", smallRow(head, 1, 2, 1, 1)}, {"row", smallRow(head, 2, 2, 1, 1)}}
	says(t, pageText(t, rows), []string{
		"synthetic digits, k = 40, l from 100", "say nothing about MNIST", "at sizes other than the paper's",
	}, "at least the paper's figure", "the paper has 9")
}

// TestForms runs Table 7 by both forms: the paper's figures are those of improved/small, and each has
// flops of its own.
func TestForms(t *testing.T) {
	head := smallHead
	head.Table, head.Data, head.Methods, head.Planner = 7, bench.RandomImages, []string{"original", "improved/paper", "improved/small"}, ""
	rows := []sampleLine{{"table", head}}
	for n := range 3 {
		row := smallRow(head, n, 12, 10, 11)
		for i, flops := range []float64{6, 5, 4} {
			row.Cells[i].FlopsModel = flops
		}
		if n > 0 {
			row.Cells[1].Form, row.Cells[2].Form = "large", "small"
		}
		rows = append(rows, sampleLine{"row", row})
	}
	page := newPage(t, readSample(t, "x", rows))
	want := []Group{{"Table 7", []float64{1.2, 1.2, nan}}, {"Table 7 small", []float64{12. / 11, 1.5, 1.10}}}
	for i, g := range page.Plot.Groups {
		for n, v := range g.Values {
			if w := want[i].Values[n]; g.Name != want[i].Name || !(math.Abs(v-w) <= 1e-15 || math.IsNaN(v) && math.IsNaN(w)) {
				t.Errorf("%+v; want %+v", g, want[i])
			}
		}
	}
	says(t, pageText(t, rows), []string{"at least the paper's figure in 0 of 1 run", "**1.09×**"})
}

// TestClaims has retraining in one of two tables: only that one is named where updating loses to it.
// The form that comes first counts.
func TestClaims(t *testing.T) {
	var rows []sampleLine
	for _, table := range []int{2, 3} {
		head := smallHead
		head.Table, head.Methods = table, []string{"original", "improved/paper", "improved/small", "gram"}
		rows = append(rows, sampleLine{"table", head})
		for n := range 3 {
			row := smallRow(head, n, 9, 8, 4, 1)
			if table == 3 && n > 0 {
				row.Retraining = &bench.Retraining{PseudoinverseSeconds: 5, PseudoinverseBy: "cholesky", WeightsSeconds: 2}
			}
			rows = append(rows, sampleLine{"row", row})
		}
	}
	says(t, pageText(t, rows), []string{
		"**2 of 2** | updates in which computing A⁺ and W from scratch is faster than updating A⁺ by Improved (Tables 3) |",
		"**7.67×** | speed over Improved, in total training time and for the same weights, of the method that the planner chooses: gram |",
	})
}

// TestConditionsApart has what was measured with one thread and with two, with two kernels, by two
// versions, and beside other work, in files that were joined: no point takes the place of another, and
// versions are named.
func TestConditionsApart(t *testing.T) {
	machine := func(change func(*result.Machine)) sampleLine {
		m := sampleMachine("x", "pure").value.(result.Machine)
		change(&m)
		return sampleLine{"machine", m}
	}
	var lines []sampleLine
	for i, m := range []sampleLine{
		machine(func(m *result.Machine) { m.Threads = []int{1} }), machine(func(m *result.Machine) {}),
		machine(func(m *result.Machine) { m.Kernel = "avx2" }), machine(func(m *result.Machine) { m.Version = "v2" }),
		machine(func(m *result.Machine) { m.Threads, m.Beside = []int{1, 0}, 1 }),
	} {
		x := float64(i + 1)
		threads := 1
		if i == 4 {
			threads = 0
		}
		cost := bench.Cost{Backend: "pure", Method: "gram", K: 7, Total: bench.CostStep{PredictedSeconds: x, MeasuredSeconds: 100 + x}}
		lines = append(lines, m,
			sampleLine{"cell", speed.Result{Op: "dgemm", N: 8, Threads: threads, Peak: 1, Backends: []speed.Timing{{Backend: "pure", GFLOPS: 300 + x}}}},
			sampleLine{"cost", cost})
	}
	page := newPage(t, readSample(t, "x", lines))
	cells := cellsOf(t, page, "Speed")
	for i := range 5 {
		hasCell(t, cells, "speed", "%d", 301+i)
	}
	says(t, markdown(t, page), []string{
		"48e7019c0ffe+", "v2", "| 1, default, beside busy processes: 1 |", "| dgemm, pure (avx512), default threads, beside busy processes: 1 on", "| dgemm, pure (avx2), 1 thread on",
		"### pure (avx512), 1 thread on", "### pure (avx512), 2 threads on", "### pure (avx2), 2 threads on",
	})
}

// TestFirstBackend has cells whose first backend is not the same: each is compared with the others of
// its own cells.
func TestFirstBackend(t *testing.T) {
	cell := func(n int, first, second string, ratio float64) sampleLine {
		return sampleLine{"cell", speed.Result{Op: "dgemm", Args: "NN", N: n, Threads: 2, Peak: 100, Backends: []speed.Timing{{Backend: first, GFLOPS: 50, OfPeak: 0.5}, {Backend: second, GFLOPS: 50 / ratio, Ratio: ratio}}}}
	}
	one := cell(40, "pure", "openblas", 8)
	result := one.value.(speed.Result)
	result.Backends[0].OverOne = 1.75
	says(t, pageText(t, []sampleLine{cell(10, "pure", "openblas", 2), cell(20, "openblas", "pure", 0.5), cell(30, "pure", "openblas", 0.25), one}), []string{
		"| dgemm NN, pure, 2 threads / openblas | 50.0 (2.00) | – | 50.0 (0.25) | 50.0 (8.00) | 1.59 | 0.25 |",
		"| dgemm NN, openblas, 2 threads / pure | – | 50.0 (0.50) | – | – | 0.50 | 0.50 |",
		"| dgemm NN, pure, 2 threads / 1 thread | – | – | – | 50.0 (1.75) | 1.75 | 1.75 |",
		"**2.00×** | speed of our backend over OpenBLAS in the median of 3 measurements", "faster in 2 |",
	})
}
