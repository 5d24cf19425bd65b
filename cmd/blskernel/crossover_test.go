package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/internal/interrupt"
)

// quickCrossover returns a small experiment with constant rates, so that none are measured.
func quickCrossover(t *testing.T) *bench.Crossover {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	return &bench.Crossover{
		L: 60, K: 12, C: 2, Q: []int{1, 5, 30}, Variants: []bench.Variant{{Method: blsupdate.Original}, {Method: blsupdate.Improved, Form: blsupdate.Large}},
		Lambda: 0x1p-30, Rounds: 2, Backend: b, Rates: blsupdate.ConstantRates(1e10, 1e9),
	}
}

// TestCrossoverShow prints a small table and keeps its lines.
func TestCrossoverShow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crossover.jsonl")
	var out, lines, errs bytes.Buffer
	if err := (&crossoverSettings{out: path}).points(quickCrossover(t), "blskernel crossover").show(context.Background(), streams{out: &out, err: &errs}); err != nil || errs.Len() > 0 {
		t.Fatal(err, errs.String())
	}
	for _, want := range []string{"l = 60 samples, k = 12 nodes, c = 2 targets; lambda = 2^-30", "backend    pure", "improved/large", "A+ from scratch", "\n     30 ", "by flops", "\nimproved/large ", "\n       planner "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nhas no %q", out.String(), want)
		}
	}
	file, err := result.ReadFile(path)
	if err != nil || len(file.Machines) != 1 || file.Machines[0].Command != "blskernel crossover" || len(file.Crossovers) != 3 {
		t.Fatalf("%+v, %v", file, err)
	}
	for i, p := range file.Crossovers {
		if p.Q != []int{1, 5, 30}[i] || p.Rounds != 2 || len(p.Methods) != 3 || p.Methods[1].Series != "improved/large" || p.Methods[2].Series != bench.PlannerSeries {
			t.Errorf("%+v", p)
		}
	}
	if err := (&crossoverSettings{json: true}).points(quickCrossover(t), "blskernel crossover").show(context.Background(), streams{out: &lines, err: &errs}); err != nil || errs.Len() > 0 {
		t.Fatal(err, errs.String())
	}
	if read, err := result.Read("stdout", &lines); err != nil || len(read.Machines) != 1 || len(read.Crossovers) != 3 {
		t.Errorf("%+v, %v", read, err)
	}
	full := errors.New("no space left on device")
	if err := (&crossoverSettings{}).points(quickCrossover(t), "").show(context.Background(), streams{out: broken{full}, err: &errs}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestCrossoverTable has points that are made up.
func TestCrossoverTable(t *testing.T) {
	c := quickCrossover(t)
	table := newCrossoverTable(c)
	for _, q := range c.Q {
		s := float64(q)
		got := table.line(bench.CrossoverPoint{
			Q: q, Rounds: 3, Planner: "gram",
			Methods:              []bench.CrossoverTiming{{Series: "original", Seconds: s, Flops: 1e9 * s}, {Series: "improved/large", Seconds: 2, Flops: 2e9}, {Series: bench.PlannerSeries, Seconds: 0.5, Flops: 1e9}},
			RetrainPseudoinverse: bench.CrossoverTiming{Seconds: 5, Flops: 10e9}, RetrainWeights: bench.CrossoverTiming{Seconds: 1, Flops: 7e9},
		})
		if q == 5 {
			want := "      5    5.0000   5.000    2.0000   2.000    0.5000   1.000                   gram    5.0000  10.000    1.0000   7.000         3\n"
			if got != want {
				t.Errorf("%q; want\n%q", got, want)
			}
		}
	}
	want := `
Starting over takes less than an update from this q on:

                 A+ from scratch     W from scratch
                 by flops measured   by flops measured
      original         10      5.0        7.0     <= 1
improved/large       > 30     > 30       > 30     <= 1
       planner       > 30     > 30       > 30     > 30
`
	if got := table.foot(); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got := table.q(math.Sqrt(2)); got != "1.4" {
		t.Errorf("%s for the root of 2", got)
	}
}

func TestCrossoverUsage(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"x", `unexpected argument "x"`},
		{"--k 0", `--k is 0; want 1 to 100000`},
		{"--c 0", `--c is 0; want 1 to 100000`},
		{"--l 0", `--l is 0; want 1 to 10000000`},
		{"--l 10 --k 11", `--l is 10, fewer samples than the 11 nodes: not every method can start from them`},
		{"--q 1,0", `--q has 0; want 1 to 10000000`},
		{"--q 3,3", `--q has 3 twice`},
		{"--rounds -1", `--rounds is -1; want 0 to 100000`},
		{"--threads -1", `--threads is -1; want 0 to 1073741824`},
		{"--lambda -1", `invalid argument "-1" for "--lambda" flag: want a finite number, 0 or more, such as 1e-6 or 2^-30`},
		{"--resume", `--resume needs --out, the file of the lines that are done`},
		{"--methods improved,improved", `--methods has improved twice`},
		{"--backend x", `--backend is "x"; want pure or openblas`},
	} {
		status, out, errs := inProcess(append([]string{"crossover"}, strings.Fields(tc.args)...)...)
		if first, _, _ := strings.Cut(errs, "\n"); status != exitUsage || out != "" || first != "blskernel crossover: "+tc.want {
			t.Errorf("%s: status %d, %q, %q; want %q", tc.args, status, out, first, tc.want)
		}
	}
}

// stoppedAndGoneOn runs f until so many lines are printed, checks that it says so and that every line
// of the file is whole, and goes on until all is done. f must not begin where there is a file already,
// and nothing is left of one without a line.
func stoppedAndGoneOn(t *testing.T, after int, f func(ctx context.Context, path string, resume bool, s streams) int) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.jsonl")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &cancelAfter{lines: after, cancel: func() { cancel(interrupt.SignalError{Signal: syscall.SIGTERM}) }}
	if after == 0 {
		out.cancel()
	}
	var errs bytes.Buffer
	if status := f(ctx, path, false, streams{out: out, err: &errs}); status != 143 || (after == 0) != (out.Len() == 0) {
		t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
	}
	if after == 0 {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%v is left (%v)", entries, err)
		}
		return
	}
	before, err := os.ReadFile(path)
	if err != nil || !bytes.HasSuffix(before, []byte("\n")) || bytes.Count(before, []byte("\n")) < 2 {
		t.Fatalf("the file has %q (%v)", before, err)
	}
	var none bytes.Buffer
	if status := f(context.Background(), path, false, streams{out: &none, err: &errs}); status != exitUsage || none.Len() > 0 {
		t.Errorf("where the file exists: status %d, %s", status, none.String())
	}
	for _, more := range []bool{true, false} {
		var again bytes.Buffer
		if status := f(context.Background(), path, true, streams{out: &again, err: &errs}); status != 0 {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		now, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(now, before) || (len(now) > len(before)) != more {
			t.Errorf("the file becomes %q (%v)", now, err)
		}
		before = now
		if lines := strings.Split(out.String(), "\n"); !strings.Contains(again.String(), strings.Join(lines[:after-1], "\n")) {
			t.Errorf("it prints\n%s\nafter\n%s", again.String(), out.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

func TestCrossoverInterrupted(t *testing.T) {
	stoppedAndGoneOn(t, 0, func(ctx context.Context, path string, _ bool, s streams) int {
		return run(ctx, []string{"crossover", "--backend", "pure", "--out", path}, s)
	})
	stoppedAndGoneOn(t, 6, func(ctx context.Context, path string, resume bool, s streams) int {
		err := (&crossoverSettings{out: path, resume: resume}).points(quickCrossover(t), "").show(ctx, s)
		var stopped interrupt.SignalError
		var usage usageError
		switch {
		case errors.As(err, &stopped):
			return stopped.Status()
		case errors.As(err, &usage):
			return exitUsage
		case err != nil:
			t.Error(err)
		}
		return 0
	})
}

// TestCrossoverElsewhere goes on with points that were measured on another CPU, which it must not, and by another version.
func TestCrossoverElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crossover.jsonl")
	show := func(errs *bytes.Buffer) error {
		var out bytes.Buffer
		return (&crossoverSettings{out: path, resume: true}).points(quickCrossover(t), "").show(context.Background(), streams{out: &out, err: errs})
	}
	var errs bytes.Buffer
	if err := show(&errs); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ key, refused, warned string }{{"version", "", "measured by version other, and this is "}, {"cpu", "the CPU other and ", ""}} {
		changed := regexp.MustCompile(`"`+tc.key+`":"[^"]*"`).ReplaceAll(lines, []byte(`"`+tc.key+`":"other"`))
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		errs.Reset()
		var usage usageError
		switch err := show(&errs); {
		case tc.refused == "" && err != nil || tc.refused != "" && !(errors.As(err, &usage) && strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s: %v", tc.key, err)
		case !strings.Contains(errs.String(), tc.warned):
			t.Errorf("%s: %q", tc.key, errs.String())
		}
	}
}
