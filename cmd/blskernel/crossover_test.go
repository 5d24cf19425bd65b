package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
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
	testutil.Contains(t, out, "l = 60 samples, k = 12 nodes, c = 2 targets; lambda = 2^-30", "backend    pure",
		"improved/large", "A+ from scratch", "\n     30 ", "by flops", "\nimproved/large ", "\nplanner ")
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

// TestCrossoverInterrupted is interrupted before it begins and after some lines, of which every one in
// the file is whole, and goes on until all is done. It must not begin where there is a file already,
// and nothing is left of one without a line.
func TestCrossoverInterrupted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.jsonl")
	args := quickCrossover("--out", path)
	if status, stdout, stderr := interruptedAfter(0, syscall.SIGTERM, args...); status != 143 || stdout != "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	left(t, 0, dir, "*")
	const after = 6
	status, stdout, stderr := interruptedAfter(after, syscall.SIGTERM, args...)
	if status != 143 || stdout == "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	before, err := os.ReadFile(path)
	if err != nil || !bytes.HasSuffix(before, []byte("\n")) || bytes.Count(before, []byte("\n")) < 2 {
		t.Fatalf("the file has %q (%v)", before, err)
	}
	fail(t, ui.ExitUsage, "", args...)
	for _, more := range []bool{true, false} {
		again := succeed(t, append(args, "--resume")...)
		now, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(now, before) || (len(now) > len(before)) != more {
			t.Errorf("the file becomes %q (%v)", now, err)
		}
		before = now
		testutil.Contains(t, again, strings.Join(strings.Split(stdout, "\n")[:after-1], "\n"))
	}
	left(t, 1, dir, "*")
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
