package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
)

// quickCrossover runs a small experiment with constant rates, so that none are measured.
func quickCrossover(args ...string) []string {
	return append([]string{"crossover", "--predict=false", "--l", "60", "--k", "12", "--c", "2", "--q", "1,5,30", "--method", "original,improved/large",
		"--rounds", "2", "--backend", "pure"}, args...)
}

// TestCrossoverShow prints a small table and keeps its lines.
func TestCrossoverShow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crossover.jsonl")
	out := succeed(t, quickCrossover("--out", path)...)
	for _, want := range []string{"l = 60 samples, k = 12 nodes, c = 2 targets; lambda = 2^-30", "backend    pure", "improved/large", "A+ from scratch", "\n     30 ", "by flops", "\nimproved/large ", "\nplanner "} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nhas no %q", out, want)
		}
	}
	file, err := result.ReadFile(path)
	if err != nil || len(file.Machines) != 1 || !strings.HasPrefix(file.Machines[0].Command, "blskernel crossover --l 60 ") || len(file.Crossovers) != 3 {
		t.Fatalf("%+v, %v", file, err)
	}
	for i, p := range file.Crossovers {
		if p.Q != []int{1, 5, 30}[i] || p.Rounds != 2 || len(p.Methods) != 3 || p.Methods[1].Series != "improved/large" || p.Methods[2].Series != bench.PlannerSeries {
			t.Errorf("%+v", p)
		}
	}
	lines := succeed(t, quickCrossover("--json")...)
	if read, err := result.Read("stdout", strings.NewReader(lines)); err != nil || len(read.Machines) != 1 || len(read.Crossovers) != 3 {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestCrossoverUsage(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"x", `unexpected argument "x"`},
		{"--l 10 --k 11", `--l is 10, fewer samples than the 11 nodes: not every method can start from them`},
		{"--q 1,0", `invalid argument "1,0" for "--q" flag: want numbers from 1 to 10000000`},
		{"--q 3,3", `invalid argument "3,3" for "--q" flag: 3 is there twice`},
		{"--lambda -1", `invalid argument "-1" for "--lambda" flag: want a finite number, 0 or more, such as 1e-6 or 2^-30`},
		{"--resume", `--resume needs --out, the file of the lines that are done`},
		{"--method improved,improved", `--method has improved twice`},
		{"--backend x", `--backend is "x"; want pure or openblas`},
	} {
		status, out, errs := inProcess(append([]string{"crossover"}, strings.Fields(tc.args)...)...)
		if first, _, _ := strings.Cut(errs, "\n"); status != ui.ExitUsage || out != "" || first != "blskernel crossover: "+tc.want {
			t.Errorf("%s: status %d, %q, %q; want %q", tc.args, status, out, first, tc.want)
		}
	}
}

// stoppedAndGoneOn runs f until so many lines are printed, checks that it says so and that every line
// of the file is whole, and goes on until all is done. f must not begin where there is a file already,
// and nothing is left of one without a line.
func stoppedAndGoneOn(t *testing.T, after int, f func(ctx context.Context, path string, resume bool, s ui.Streams) int) {
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
	if status := f(ctx, path, false, ui.Streams{Out: out, Err: &errs}); status != 143 || (after == 0) != (out.Len() == 0) {
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
	if status := f(context.Background(), path, false, ui.Streams{Out: &none, Err: &errs}); status != ui.ExitUsage || none.Len() > 0 {
		t.Errorf("where the file exists: status %d, %s", status, none.String())
	}
	for _, more := range []bool{true, false} {
		var again bytes.Buffer
		if status := f(context.Background(), path, true, ui.Streams{Out: &again, Err: &errs}); status != 0 {
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
	for _, after := range []int{0, 6} {
		stoppedAndGoneOn(t, after, func(ctx context.Context, path string, resume bool, s ui.Streams) int {
			return run(ctx, quickCrossover("--out", path, fmt.Sprintf("--resume=%v", resume)), s)
		})
	}
}

// TestCrossoverElsewhere goes on with points that were measured on another CPU, which it must not, and
// by another version.
func TestCrossoverElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crossover.jsonl")
	again := quickCrossover("--out", path, "--resume")
	succeed(t, again...)
	lines, err := os.ReadFile(path)
	testutil.NoError(t, err)
	for _, tc := range []struct{ key, refused, warned string }{{"version", "", "measured by version other, and this is "}, {"cpu", "the CPU other and ", ""}} {
		changed := regexp.MustCompile(`"`+tc.key+`":"[^"]*"`).ReplaceAll(lines, []byte(`"`+tc.key+`":"other"`))
		testutil.NoError(t, os.WriteFile(path, changed, 0o666))
		status, _, stderr := inProcess(again...)
		if want := tc.refused + tc.warned; (status == ui.ExitUsage) != (tc.refused != "") || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q; want %q", tc.key, status, stderr, want)
		}
	}
}
