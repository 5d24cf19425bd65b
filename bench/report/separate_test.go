package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// A small run: Table 3 with two updates, and what else a case wants.
var smallHead = bench.TableHead{
	Table: 3, Data: bench.MNIST, Scale: 1, Initial: 100, Batch: 50, Updates: 2, Nodes: 40, Targets: 10, Lambda: paperLambda, Shrink: 0.8,
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

// TestSharedStart times the same start at 30 and 20 s: the total of both methods has 25 s, and what is
// faster is the updates alone. Starts of other flops are not the same.
func TestSharedStart(t *testing.T) {
	head := smallHead
	rows := []sampleLine{{"table", head}, {"row", smallRow(head, 0, 30, 20, 2)}, {"row", smallRow(head, 1, 10, 10, 1)}, {"row", smallRow(head, 2, 10, 10, 1)}}
	says(t, pageText(t, rows), []string{"is 1.00 times as fast as Original", "45.0", "11.2"})
	other := smallRow(head, 0, 30, 20, 2)
	other.Cells[0].FlopsModel = 2
	rows[1].value = other
	says(t, pageText(t, rows), []string{"is 1.25 times as fast as Original"})
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
	says(t, pageText(t, files...), []string{"original", "7.00", "11.0"}, "Speed-up of Improved", "times as fast")

	// The same seed in two files is two runs, of whose ratios there is a median, not a ratio of
	// medians: 2, 4 and 3/2.
	files = nil
	for _, s := range [][2]float64{{2, 1}, {12, 3}, {3, 2}} {
		head := smallHead
		lines := []sampleLine{{"table", head}}
		for n := range 3 {
			lines = append(lines, sampleLine{"row", smallRow(head, n, s[0], s[1], 0.5)})
		}
		lines[1] = sampleLine{"row", smallRow(head, 0, 0, 0, 0.5)}
		files = append(files, lines)
	}
	says(t, pageText(t, files...), []string{"is 2.00 times as fast as Original", "Medians of 3 runs", "2.67"})
}

// TestRebuilt goes on after an interruption: no total is compared, and what there is is marked.
func TestRebuilt(t *testing.T) {
	head := smallHead
	anew := smallRow(head, 2, 10, 5, 1)
	anew.Rebuilt = true
	rows := []sampleLine{{"table", head}, {"row", smallRow(head, 0, 20, 20, 2)}, {"row", smallRow(head, 1, 10, 5, 1)}, {"row", anew}}
	says(t, pageText(t, rows), []string{
		"Seed 1 was interrupted: it has 2 of 3 steps in one process. Seed 1 was interrupted: it has 1 of 3", "| 2.00 | 2.00 | – |",
	}, "In total training time Improved", "in the whole training with features")
}

// TestPlanner has a run without the planner's method: nothing is said of it.
func TestPlanner(t *testing.T) {
	head := smallHead
	head.Methods, head.Planner, head.Repeat = head.Methods[:2], "", "improved/paper"
	rows := []sampleLine{{"table", head}}
	for n := range 3 {
		rows = append(rows, sampleLine{"row", smallRow(head, n, 2, min(2, 3-float64(n)))})
	}
	says(t, pageText(t, rows), []string{"is 1.20 times as fast as Original"}, "planner's method is", "planner's choice)")
}

// TestNames has settings that are not the paper's: each is in the name, and none is compared with the
// paper as if it were.
func TestNames(t *testing.T) {
	for _, tc := range []struct {
		change     func(*setting)
		want       string
		task, same bool
	}{
		{func(*setting) {}, "Table 3", true, true},
		{func(s *setting) { s.scale = 0.5 }, "Table 3 at scale 0.5", false, false},
		{func(s *setting) { s.data = bench.SyntheticDigits }, "Table 3 on synthetic digits", false, false},
		{func(s *setting) { s.lambda = 0x1p-18 }, "Table 3, lambda = 2^-18", true, false},
		{func(s *setting) { s.lambda = 1e-3 }, "Table 3, lambda = 0.001", true, false},
		{func(s *setting) { s.shrink = 1.6 }, "Table 3, s = 1.6", true, false},
		{func(s *setting) { s.whitening = bench.UnitWhitening }, "Table 3, whitened (unit)", true, false},
		{func(s *setting) { s.table, s.data = 7, bench.NORB }, "Table 7", true, true},
		{func(s *setting) { s.table, s.data = 7, bench.RandomImages }, "Table 7 on random images", false, true},
	} {
		s := settingOf(smallHead)
		tc.change(&s)
		if s.name() != tc.want || s.sameTask() != tc.task || s.asInPaper() != tc.same {
			t.Errorf("%q, %v, %v; want %q, %v, %v", s.name(), s.sameTask(), s.asInPaper(), tc.want, tc.task, tc.same)
		}
	}
	head := smallHead
	head.Data, head.Title = bench.SyntheticDigits, "MNIST"
	accuracy := 91.5
	row := smallRow(head, 0, 1, 1, 1)
	row.Cells[0].Accuracy = &accuracy
	rows := []sampleLine{{"table", head}, {"row", row}, {"row", smallRow(head, 1, 2, 1, 1)}, {"row", smallRow(head, 2, 2, 1, 1)}}
	says(t, pageText(t, rows), []string{
		"synthetic digits, k = 40, l from 100", "say nothing about MNIST", "No run has the paper's size and recipe",
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
	page, err := New([]*result.File{readSample(t, "x", rows)})
	testutil.NoError(t, err)
	overview := page.Plots()[0]
	want := map[string][][2]float64{"by flops": {{1, 6. / 5}, {2, 6. / 4}}, "the paper": {{2, 1.10}}}
	for _, s := range overview.series {
		for i, p := range want[s.name] {
			if len(s.points) != len(want[s.name]) || s.points[i][0] != p[0] || !(math.Abs(s.points[i][1]-p[1]) <= 1e-15) {
				t.Errorf("%s: %v", s.name, s.points)
			}
		}
	}
	if !slices.Equal(overview.x.nominal, []string{"7", "7 small"}) {
		t.Errorf("places: %q", overview.x.nominal)
	}
	says(t, pageText(t, rows), []string{
		"at least the paper's figure in 0 of 1 run", "Below the paper: Table 7 on random images (improved/small, pure, 2 threads): 1.09 against 1.10, by flops 1.50.",
	})
}

// TestClaims has retraining in one of two tables: only that one is named where updating loses to it,
// and each form by itself.
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
		"Table 3, pure, 2 threads: updating A⁺ by improved/paper takes 1.60 times as long as A⁺ and W from scratch (it loses at 2 of 2 updates), and 4.00 times as long as W alone.",
		"Table 3, pure, 2 threads: updating A⁺ by improved/small takes 0.80 times as long as A⁺ and W from scratch (it loses at 0 of 2 updates), and 2.00 times",
		"Tables 2 and 3, pure, 2 threads: the planner's method is 7.67 times as fast as improved/paper in the whole training with features, and 8.00 times in the updates alone.",
	}, "Tables 2 and 3, pure, 2 threads: updating")
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
			sampleLine{"cell", speed.Result{Op: "dgemm", M: 8, N: 8, K: 8, Threads: threads, Peak: 1, Backends: []speed.Timing{{Backend: "pure", GFLOPS: 300 + x}}}},
			sampleLine{"cost", cost})
	}
	page := newPage(t, readSample(t, "x", lines))
	cells := cellsOf(t, page, "Speed")
	for i := 3; i <= 5; i++ { // what was measured first was measured again, with as many threads
		hasCell(t, cells, "speed", "%d", 300+i)
	}
	says(t, markdown(t, page), []string{
		"48e7019c0ffe+", "v2", "| 1, default, beside busy processes: 1 |", "| dgemm, pure (avx512), default threads, beside busy processes: 1 on", "| dgemm, pure (avx2), 1 thread on",
		"On pure (avx512), 1 thread on", "### pure (avx512), 1 thread on", "### pure (avx512), 2 threads on", "### pure (avx2), 2 threads on",
	})
}

// TestFirstBackend has cells whose first backend is not the same: each is compared with the others of
// its own cells.
func TestFirstBackend(t *testing.T) {
	cell := func(n int, first, second string, ratio float64) sampleLine {
		return sampleLine{"cell", speed.Result{Op: "dgemm", Args: "NN", M: n, N: n, K: n, Threads: 2, Peak: 100, Backends: []speed.Timing{{Backend: first, GFLOPS: 50, OfPeak: 0.5}, {Backend: second, GFLOPS: 50 / ratio, Ratio: ratio}}}}
	}
	says(t, pageText(t, []sampleLine{cell(10, "pure", "openblas", 2), cell(20, "openblas", "pure", 0.5), cell(30, "pure", "openblas", 0.25)}), []string{
		"The backend pure is faster than openblas in 1 of 2 measurements; the median of the ratios is 1.12.", "The backend openblas is faster than pure in 0 of 1 measurement; the median of the ratios is 0.50.",
	})
}

// TestFlopsFindings has counts that are those of the formulas, below them and above.
func TestFlopsFindings(t *testing.T) {
	c := sampleFlopsCase(4000, 500, 300)
	says(t, pageText(t, []sampleLine{{"flops", c}}), []string{
		"At l = 4000, k = 500, q = 300 ≤ k the steps take 1.56 Gflop by Original and 1.22 by Improved as counted, a ratio of 1.28; by the paper's formulas the ratio is 1.25. 1 count differs from the formulas.",
	})
	c.Steps[0].Original.Counted *= 2
	says(t, pageText(t, []sampleLine{{"flops", c}}), []string{"2 counts differ from the formulas."})
	c = sampleFlopsCase(4000, 500, 1000)
	says(t, pageText(t, []sampleLine{{"flops", c}}), []string{"All counts are those of the formulas.", "q = 1000 > k"})
}

// TestHeldOut has a table that was tested on training samples: it is no result of the paper's.
func TestHeldOut(t *testing.T) {
	head := smallHead
	head.HeldOut = 10
	f := readSample(t, "x", []sampleLine{{"table", head}, {"row", smallRow(head, 0, 1, 1, 1)}})
	if _, err := New([]*result.File{f}); !errors.Is(err, ErrNoResults) {
		t.Errorf("a page of held-out samples: %v", err)
	}
}
