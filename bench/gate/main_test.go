package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/kernel"
)

// command runs the gate and returns its exit status and what it printed.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(context.Background(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// TestCommand measures baselines of one small case, passes by them, fails where they were 10 times as
// good, and passes with a warning where there are none.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	best := kernel.Names()[0]
	only := []string{"-baselines", dir, "-case", "^daxpy 100$", "-kernels", best, "-threads", "1", "-rounds", "3"}
	status, out, errs := command(t, only...)
	if status != passed || !strings.Contains(out, "warning: this CPU ("+cpuName()+") has no baselines: nothing is compared") || !strings.Contains(out, "unknown: ") {
		t.Errorf("without baselines: %d\n%s%s", status, out, errs)
	}
	if status, out, errs = command(t, append(only, "-write")...); status != passed {
		t.Fatalf("-write: %d\n%s%s", status, out, errs)
	}
	path := place{dir, cpuName()}.path(best)
	b, err := place{dir, cpuName()}.read(best)
	if err != nil || len(b.lines) != 1 || !(b.lines[0].OfPeak > 0) {
		t.Fatalf("%+v, %v", b, err)
	}
	// Whatever the machine does meanwhile, it is faster than a hundredth of the baseline, and slower
	// than a hundred times.
	for factor, want := range map[float64]int{0.01: passed, 100: failed} {
		measured, peaks := map[cell]ratios{}, map[int]float64{1: factor * b.peaks[1]}
		b.addTo(measured, b.machine.OpenBLAS)
		for c, r := range measured {
			measured[c] = ratios{factor * r[byPeak], factor * r[byOpenBLAS]}
		}
		if err := (place{dir, cpuName()}).write(new(bytes.Buffer), b.machine, []string{best}, measured, peaks); err != nil {
			t.Fatal(err)
		}
		status, out, errs = command(t, append(only, "-v")...)
		if status != want || strings.Contains(out, "FAIL: daxpy 100, threads 1, kernel "+best+": lost: ") != (want == failed) {
			t.Errorf("baselines times %v: %d; want %d\n%s%s", factor, status, want, out, errs)
		}
		if !strings.Contains(out, "\nwarning: peak, threads 1: ") {
			t.Errorf("no warning of the peak, whose baseline is %v times as high\n%s", factor, out)
		}
	}
	// A kernel without a file, on a CPU that has others, is told of.
	if err := os.Rename(path, place{dir, cpuName()}.path("other")); err != nil {
		t.Fatal(err)
	}
	if status, out, errs = command(t, only...); status != passed || !strings.Contains(out, "warning: kernel "+best+" has no baseline on this CPU") {
		t.Errorf("without a baseline of the kernel: %d\n%s%s", status, out, errs)
	}
	// A file that is no baseline is not passed over.
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, errs = command(t, only...); status != broken || !strings.Contains(errs, filepath.Base(path)+": line 1:") {
		t.Errorf("nonsense for a baseline: %d, %s", status, errs)
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]struct {
		status int
		text   string
	}{
		"-help":             {passed, "-baselines folder"},
		"-nonsense":         {broken, "flag provided but not defined"},
		"more":              {broken, `unknown argument "more"`},
		"-rounds 0":         {broken, "at least 1"},
		"-attempts 0":       {broken, "at least 1"},
		"-threads 3":        {broken, `-threads is "3"`},
		"-threads 1,1":      {broken, "each once"},
		"-threads one":      {broken, "each once"},
		"-tolerance 1":      {broken, "between 0 and 1"},
		"-tolerance NaN":    {broken, "between 0 and 1"},
		"-case (":           {broken, "-case: error parsing regexp"},
		"-case nonsense":    {broken, "matches no case"},
		"-kernels nonsense": {broken, `"pure/nonsense" is not available`},
		"-kernels generic -case dgemm.NN.1000$ -rounds 1": {broken, "no cell is left"},
	} {
		status, _, errs := command(t, strings.Fields(args)...)
		if status != want.status || !strings.Contains(errs, want.text) {
			t.Errorf("gate %s: %d, %s; want %d with %q", args, status, errs, want.status, want.text)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	for _, args := range [][]string{{"-case", "ddot"}, {"-case", "ddot", "-write", "-baselines", t.TempDir()}} {
		var out, errs bytes.Buffer
		if status := run(ctx, args, &out, &errs); status != broken || !strings.Contains(errs.String(), "enough") {
			t.Errorf("cancelled: %d, %s", status, &errs)
		}
	}
}

// TestReport looks at the lines that are printed of cells, and at the verdict of all.
func TestReport(t *testing.T) {
	at := func(name string) cell { return cell{name, 1, "wide"} }
	outcomes := []outcome{
		{cell: at("a"), base: ratios{0.8, 1.2}, now: ratios{0.8, 1.2}, share: 1, rounds: 9, attempts: 1, verdict: kept},
		{cell: at("b"), base: ratios{0.8, 1.2}, now: ratios{0.6, 0.9}, share: 0.75, rounds: 45, attempts: 3, verdict: lost},
		{cell: at("c"), base: ratios{0.8, 0}, now: ratios{0.7, 2}, share: 0.875, rounds: 45, attempts: 3, verdict: doubtful},
		{cell: at("d"), base: ratios{0.8, 0}, now: ratios{0.8, 0}, share: 1, rounds: 27, attempts: 2, verdict: cleared},
		{cell: at("e"), now: ratios{0.3, 0.5}, rounds: 9, attempts: 1, verdict: unknown},
		{cell: at("f"), now: ratios{0.3, 1.5}, rounds: 9, attempts: 1, verdict: unknown},
	}
	var short, long strings.Builder
	r := report{w: &short, tolerance: 0.1}
	r.print(outcomes)
	want := `FAIL: b, threads 1, kernel wide: lost: 0.6 of the peak (baseline 0.8, -25.0%), 0.9 of the speed of OpenBLAS (baseline 1.2, -25.0%); 45 rounds, attempts: 3
warning: c, threads 1, kernel wide: doubtful: 0.7 of the peak (baseline 0.8, -12.5%), 2 of the speed of OpenBLAS; 45 rounds, attempts: 3
d, threads 1, kernel wide: cleared: 0.8 of the peak (baseline 0.8, +0.0%); 27 rounds, attempts: 2
warning: e, threads 1, kernel wide: unknown: 0.3 of the peak, 0.5 of the speed of OpenBLAS; 9 rounds, attempts: 1
`
	if short.String() != want {
		t.Errorf("%s; want\n%s", &short, want)
	}
	report{w: &long, verbose: true, tolerance: 0.1}.print(outcomes)
	if n := strings.Count(long.String(), "\n"); n != len(outcomes) {
		t.Errorf("%d lines of all cells; want %d", n, len(outcomes))
	}
	short.Reset()
	if r.foot(outcomes) {
		t.Error("passes although a cell is lost")
	}
	want = "gate: 6 cells, kept: 1, cleared: 1, doubtful: 1, lost: 1, unknown: 2\ngate: at the end the least share of a baseline is 0.750: b, threads 1, kernel wide\n"
	if short.String() != want {
		t.Errorf("%s; want %s", &short, want)
	}
	if !r.foot(outcomes[4:]) {
		t.Error("fails where there are no baselines")
	}
	short.Reset()
	r.peaks(map[int][]float64{2: {110, 90}, 1: {50, 60, 40}}, nil)
	r.peaks(map[int][]float64{2: {110, 90}, 1: {50, 60, 40}}, map[int]float64{1: 47, 2: 112})
	want = `peak, threads 1: 50.0 GFLOP/s, from 40.0 to 60.0 over 3 rounds
peak, threads 2: 100.0 GFLOP/s, from 90.0 to 110.0 over 2 rounds
peak, threads 1: 50.0 GFLOP/s, from 40.0 to 60.0 over 3 rounds (baseline 47.0, +6.4%)
warning: peak, threads 2: 100.0 GFLOP/s, from 90.0 to 110.0 over 2 rounds (baseline 112.0, -10.7%)
`
	if short.String() != want {
		t.Errorf("%s; want %s", &short, want)
	}
	short.Reset()
	if !r.gaps(nil) || r.gaps([]string{"a gap"}) || short.String() != "FAIL: a gap\n" {
		t.Errorf("gaps: %s", &short)
	}
	short.Reset()
	r.comparable(&baseline{kernel: "wide"}, "0.3")
	r.comparable(&baseline{kernel: "wide"}, "")
	if want := "warning: the baseline of kernel wide is of OpenBLAS \"\": it is compared with the peak only\n"; short.String() != want {
		t.Errorf("%s; want %s", &short, want)
	}
}
