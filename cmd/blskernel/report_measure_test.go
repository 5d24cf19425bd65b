package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// measuring runs docs/results/measure.sh with programs of its own in the place of the go command and of
// blskernel, which only notes what it is called with and makes the files, and returns these calls. A
// call that has fail in it fails.
func measuring(t *testing.T, fail string, args ...string) (calls [][]string, stderr string, err error) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.WriteFile(path, []byte(text), 0o777))
		return path
	}
	log := filepath.Join(dir, "log")
	fake := write("blskernel", `#!/bin/sh
printf '%s\n' "$*" >>'`+log+`'
case "$*" in *'`+fail+`'*) [ -z '`+fail+`' ] || exit 1 ;; esac
while [ $# -gt 0 ]; do
	case $1 in
	--out) [ -d "$2" ] || echo line >>"$2" ;;
	--json) echo line ;;
	esac
	shift
done
`)
	goCommand := write("go", "#!/bin/sh\n[ \"$1 $2 $4\" = 'build -C -o' ] && cp '"+fake+"' \"$5\"\n")
	cmd := exec.Command("sh", append([]string{filepath.FromSlash("../../docs/results/measure.sh")}, args...)...)
	cmd.Env = append(os.Environ(), "GO="+goCommand, "BACKEND=pure")
	var errs strings.Builder
	cmd.Stderr = &errs
	err = cmd.Run()
	text, readErr := os.ReadFile(log)
	if readErr != nil && err == nil {
		t.Fatal(readErr)
	}
	for line := range strings.Lines(string(text)) {
		calls = append(calls, strings.Fields(line))
	}
	return calls, errs.String(), err
}

// parses tells whether the command line knows the flags of a call.
func parses(t *testing.T, call []string) {
	t.Helper()
	cmd, rest, err := newRoot(ui.Streams{Out: io.Discard, Err: io.Discard}).Find(call)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil || cmd.Flags().NArg() > 0 {
		t.Errorf("%q: %v, and %q is left", call, err, cmd.Flags().Args())
	}
}

// value returns what follows a flag in a call.
func value(call []string, flag string) string {
	if i := slices.Index(call, flag); i >= 0 && i+1 < len(call) {
		return call[i+1]
	}
	return ""
}

// tablesOf returns the tables of calls of paper, in order.
func tablesOf(calls [][]string) string {
	var tables []string
	for _, call := range calls {
		if call[0] == "paper" {
			tables = append(tables, value(call, "--table"))
		}
	}
	return strings.Join(tables, " ")
}

// TestMeasure has every call understood, on the chosen backend, and only files that the page reads;
// without data the tables that need it are left out, and said to be.
func TestMeasure(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		tables string
		says   string
	}{
		{[]string{"full"}, "1 6 7 8 9", "without a folder of data, Tables 2 to 5, "},
		{[]string{"full", "data"}, "1 6 7 8 9 2 2 3 2 5 4", ""},
		{[]string{"quick"}, "1 2,3,4,5,6,7,8 9", ""},
	} {
		out := t.TempDir()
		calls, stderr, err := measuring(t, "", slices.Insert(slices.Clone(tc.args), 1, out)...)
		if err != nil {
			t.Fatalf("%q: %v\n%s", tc.args, err, stderr)
		}
		if got := tablesOf(calls); got != tc.tables || !strings.Contains(stderr, tc.says) {
			t.Errorf("%q: tables %s; want %s\n%s", tc.args, got, tc.tables, stderr)
		}
		operations := map[string]bool{}
		for _, call := range calls {
			parses(t, call)
			if call[0] == "paper" && value(call, "--backend") != "pure" {
				t.Errorf("%q: the backend is not handed on", call)
			}
			for _, op := range strings.Split(value(call, "--op"), ",") {
				operations[op] = op != ""
			}
			if slices.Contains(call, "--threads") {
				t.Errorf("%q: a number of threads", call)
			}
		}
		for _, op := range []string{"dgemm", "dsyr2k", "dgemmtp", "dspmm", "dgemv", "dger", "ddot", "daxpy", "lu-solve"} {
			if !operations[op] {
				t.Errorf("%q: %s is not measured", tc.args, op)
			}
		}
		if last := calls[len(calls)-1]; last[0] != "report" || value(last, "--out") != out {
			t.Errorf("%q: the last call is %q", tc.args, last)
		}
		files, err := filepath.Glob(filepath.Join(out, "*"))
		testutil.NoError(t, err)
		for _, f := range files {
			if ext := filepath.Ext(f); ext != ".jsonl" && filepath.Base(f) != "README.md" {
				t.Errorf("%q leaves %s", tc.args, f)
			}
		}
	}
}

// TestMeasureAgain runs it where something is there: a quick run measures all of it anew, and leaves
// other files alone; a full one keeps the files that are there.
func TestMeasureAgain(t *testing.T) {
	out := t.TempDir()
	for _, name := range []string{"speed.jsonl", "tables.jsonl", "other.jsonl"} {
		testutil.NoError(t, os.WriteFile(filepath.Join(out, name), []byte("old\n"), 0o666))
	}
	if _, stderr, err := measuring(t, "", "quick", out); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for name, old := range map[string]bool{"speed.jsonl": false, "tables.jsonl": false, "other.jsonl": true} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || strings.Contains(string(text), "old") != old {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
	out = t.TempDir()
	calls, _, err := measuring(t, "--op dgemv", "full", out) // in the middle of speed.jsonl
	if _, there := os.Stat(filepath.Join(out, "speed.jsonl")); err == nil || there == nil || calls[len(calls)-1][0] != "bench" {
		t.Errorf("after a failure: %v, speed.jsonl: %v, the last call %q", err, there, calls[len(calls)-1])
	}
	again, stderr, err := measuring(t, "", "full", out)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	count := map[string]int{}
	for _, call := range again {
		count[call[0]]++
	}
	if count["flops"] != 0 || count["bench"] != 3 || count["paper"] != 4 {
		t.Errorf("again: %v; want speed.jsonl, four tables, and neither table1.jsonl nor predicted.jsonl", count)
	}
}

// TestRecordedCommands has the commands that the results page names: they are ones of today.
func TestRecordedCommands(t *testing.T) {
	names, err := filepath.Glob(filepath.FromSlash("../../docs/results/*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		f, err := result.ReadFile(name)
		testutil.NoError(t, err)
		for _, m := range f.Machines {
			parses(t, strings.Fields(m.Command)[1:])
		}
	}
}
