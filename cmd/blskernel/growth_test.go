package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/internal/interrupt"
)

// TestGrowthCommand prints a small table and keeps its lines, which are those of --json.
func TestGrowthCommand(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "growth.jsonl")
	args := []string{"growth", "--condition", "1e3,1e12", "--lambda", "0,2^-30", "--k", "10", "--l", "50", "--seeds", "2", "--backend", "pure"}
	status, out, errs := inProcess(append(args, "--out", path)...)
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	for _, want := range []string{
		"2 for each line: 50 samples, k = 10 nodes, one target; from 25 samples on by updates of 5, 5 and 15", "backend    pure",
		"inverse-cholesky", "compressed", "\n      0   1e+12", "\n  2^-30   1e+03", "bias", "refused", "Every error is within the bound",
		"gram, lambda = 0, cond(A) 1e+12: blsupdate: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nhas no %q", out, want)
		}
	}
	file, err := result.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Machines) != 1 || !strings.HasPrefix(file.Machines[0].Command, "blskernel growth --condition 1e3,1e12 --lambda 0,2^-30 --methods original,improved/small,") ||
		!strings.HasSuffix(file.Machines[0].Command, " --seeds 2 --k 10 --l 50 --backend pure") ||
		len(file.Growth) != 2*10+2*6 {
		t.Fatalf("%+v: %d points", file.Machines, len(file.Growth))
	}
	for _, p := range file.Growth {
		if p.Failed == "" && !p.Within() {
			t.Errorf("%+v", p)
		}
	}
	status, lines, errs := inProcess(append(args, "--json")...)
	read, err := result.Read("stdout", strings.NewReader(lines))
	if status != 0 || errs != "" || err != nil || len(read.Growth) != len(file.Growth) || strings.Count(lines, "\n") != 1+len(file.Growth) {
		t.Fatalf("status %d, %s, %v: %s", status, errs, err, lines)
	}
	for i, p := range read.Growth {
		if p != file.Growth[i] {
			t.Errorf("%+v; in the file %+v", p, file.Growth[i])
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// TestGrowthTable has points that are made up.
func TestGrowthTable(t *testing.T) {
	g := &bench.Growth{Variants: []bench.Variant{{Method: 0}, {Method: 4}, {Method: 5}}, Samples: 50, Nodes: 10, Seeds: 3}
	table := newGrowthTable(g)
	table.line([]bench.GrowthPoint{
		{Method: "gram", Form: "auto", Condition: 1e3, Lambda: 0x1p-30, Kappa: 999, Error: 2e-3, Bound: 1e-3, Seeds: 3},
		{Method: "qr", Form: "auto", Condition: 1e3, Lambda: 0x1p-30, Kappa: 999, Failed: "no digits", Refused: 1, Seeds: 3},
	})
	line := table.line([]bench.GrowthPoint{
		{Method: "gram", Form: "auto", Condition: 1e5, Lambda: 0x1p-30, Kappa: 999, Error: 2e-3, Bound: 1e-3, Seeds: 3},
		{Method: "qr", Form: "auto", Condition: 1e5, Lambda: 0x1p-30, Kappa: 999, Failed: "nothing", Refused: 1, Seeds: 3},
	})
	if want := "  2^-30   1e+05 1.0e+03       bias    2e-03!    1 of 3\n"; line != want {
		t.Errorf("%q; want %q", line, want)
	}
	for _, want := range []string{"2 errors are beyond", "bias   With lambda > 0 original and improved", "qr, lambda = 2^-30, cond(A) 1e+03, 1e+05: no digits\n"} {
		if foot := table.foot(); !strings.Contains(foot, want) {
			t.Errorf("%s\nhas no %q", foot, want)
		}
	}
}

func TestGrowthUsage(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"x", `unexpected argument "x"`},
		{"--seeds 0", `--seeds is 0; want 1 to 1000`},
		{"--k 1", `--k is 1; want 2 to 1000`},
		{"--k 40 --l 79", `--l is 79; want 80 to 10000`},
		{"--condition 0.5", `--condition has "0.5"; want 1 to 1e+14`},
		{"--condition NaN", `--condition has "NaN"; want 1 to 1e+14`},
		{"--condition 10,x", `--condition has "x"; want 1 to 1e+14`},
		{"--condition 10,1e1", `--condition has 10 twice`},
		{"--condition=", `--condition is empty; want at least one number`},
		{"--lambda=", `--lambda is empty; want at least one number`},
		{"--lambda -1", `--lambda has "-1": want a finite number, 0 or more, such as 1e-6 or 2^-30`},
		{"--lambda 0,2", `--lambda has 2; want at most 1, the square of the largest singular value of A`},
		{"--lambda 0.5,2^-1", `--lambda has 0.5 twice`},
		{"--methods x", `--methods has "x"; want some of ` + methodNames()},
		{"--methods original,improved/small --lambda 1e-3", `--methods has only original and improved, which with --lambda above 0 have a bias and no rounding to be seen: add --lambda 0 or other methods`},
		{"--backend x", `--backend is "x"; want pure or openblas`},
		{"--threads -1", `--threads is -1; want 0 to 1073741824`},
	} {
		status, out, errs := inProcess(append([]string{"growth"}, strings.Fields(tc.args)...)...)
		if first, _, _ := strings.Cut(errs, "\n"); status != exitUsage || out != "" || first != "blskernel growth: "+tc.want {
			t.Errorf("%s: status %d, %q, %q; want %q", tc.args, status, out, first, tc.want)
		}
	}
	status, _, errs := inProcess("growth", "--out", filepath.Join(t.TempDir(), "missing", "x"))
	if status != exitFailure || !strings.HasPrefix(errs, "blskernel growth: --out: open ") {
		t.Errorf("status %d, %q", status, errs)
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

func TestGrowthInterrupted(t *testing.T) {
	for _, after := range []int{0, 7} {
		stoppedAndGoneOn(t, after, func(ctx context.Context, path string, resume bool, s streams) int {
			args := []string{"growth", "--backend", "pure", "--k", "8", "--l", "40", "--seeds", "5", "--out", path, fmt.Sprintf("--resume=%v", resume)}
			return run(ctx, args, s)
		})
	}
}
