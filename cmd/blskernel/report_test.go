package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// writeResults writes a file of results with speeds, and returns its path.
func writeResults(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	testutil.NoError(t, err)
	defer f.Close()
	for _, n := range []int{10, 100, 1000} {
		timings := []speed.Timing{{Backend: "pure", GFLOPS: 3.7e-4 * float64(n)}, {Backend: "openblas", GFLOPS: 1, Ratio: 2}}
		cell := speed.Result{Op: "dgemm", N: n, Threads: 1, Peak: 50, Backends: timings}
		testutil.NoError(t, result.Write(f, "cell", cell))
	}
	return path
}

// TestReport makes a page of a folder, of a file twice, and of files without the flag.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	file := writeResults(t, dir, "a.jsonl")
	for i, args := range [][]string{
		{"--results", dir}, {"--results", file, "--results", dir}, {"-results", file, file}, {file},
	} {
		out := filepath.Join(t.TempDir(), "page")
		status, stdout, stderr := inProcess(append([]string{"report", "--out", out}, args...)...)
		readme := filepath.Join(out, "README.md")
		if status != 0 || !strings.HasPrefix(stderr, readme+"   ") || !strings.Contains(stderr, "1 section, from 1 file\n") ||
			!strings.HasPrefix(stdout, "2.00×             speed of our backend over OpenBLAS ") {
			t.Errorf("%d: status %d, %q, %q", i, status, stdout, stderr)
		}
		page, err := os.ReadFile(readme)
		testutil.NoError(t, err)
		if n := strings.Count(string(page), " 0.0370 (2.00) "); n != 1 {
			t.Errorf("%d: a number is there %d times", i, n)
		}
	}
}

// TestReportErrors has what cannot be made a page of. Nothing is written.
func TestReportErrors(t *testing.T) {
	dir := t.TempDir()
	good := writeResults(t, dir, "good.jsonl")
	empty := filepath.Join(dir, "empty")
	testutil.NoError(t, os.Mkdir(empty, 0o777))
	for name, text := range map[string]string{"bad.jsonl": "{\"kind\":\"machine\"}\n{\"kind\":7}\n", "none.jsonl": "{\"kind\":\"machine\"}\n", "row.jsonl": "{\"kind\":\"row\",\"table\":2}\n"} {
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, tc := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--out", path("out")}, ui.ExitUsage, "--results is missing: name a file of results, or a folder of them"},
		{[]string{"--results", good}, ui.ExitUsage, "--out is missing: name the folder for the page"},
		{[]string{"--results", good, "--out", good}, ui.ExitUsage, "which is no folder"},
		{[]string{"--results", path("nowhere"), "--out", path("out")}, ui.ExitFailure, `nowhere" does not exist`},
		{[]string{"--results", empty, "--out", path("out")}, ui.ExitFailure, `empty" has no files of results, *.jsonl`},
		{[]string{"--results", path("none.jsonl"), "--out", path("out")}, ui.ExitFailure, "nothing to show in "},
		{[]string{"--results", path("bad.jsonl"), "--out", path("out")}, ui.ExitFailure, "bad.jsonl: line 2: "},
		{[]string{"--results", path("row.jsonl"), "--out", path("out")}, ui.ExitFailure, "row.jsonl: line 1: a row of table 2 before the table"},
	} {
		fail(t, tc.status, tc.want, append([]string{"report"}, tc.args...)...)
		left(t, 0, path("out"))
	}
}
