package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestNoHeader has a file with a column of text and no header, of which the first line is a row like
// the others to all commands.
func TestNoHeader(t *testing.T) {
	dir := t.TempDir()
	flowers := csvText(samples(150, 1), false, "a", "b", "c", "d", "color")
	data := writeText(t, dir, "iris.data", flowers)
	model := filepath.Join(dir, "m.bls")
	out := succeed(t, small("--out", model, "--target", "5", data)...)
	testutil.Contains(t, out, "150 samples in all\nsettings: ")
	out = succeed(t, "update", model, "--again", "--target", "5", data)
	testutil.Contains(t, out, "300 samples in all\nlearned 150 rows")
	if q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, "--target", "5", data)); q.Rows != 150 {
		t.Errorf("evaluate has %d rows", q.Rows)
	}
	inputs := writeText(t, dir, "inputs.csv", csvText(samples(150, 1), false, "a", "b", "c", "d"))
	for _, args := range [][]string{{data, "--target", "5"}, {data, "--inputs", "1-4"}, {inputs}} {
		if n := strings.Count(succeed(t, append([]string{"predict", model}, args...)...), "\n"); n != 151 {
			t.Errorf("%q: %d lines", args, n)
		}
	}
	// Without a number for the column nothing tells a label from a name: refused, and not guessed.
	fail(t, ui.ExitUsage, "--target is missing", "update", model, inputs)
	if status, _, stderr := inProcess("predict", model, data); status != ui.ExitFailure || !strings.Contains(stderr, "has 5 columns of inputs, and the model 4") {
		t.Errorf("status %d, %q", status, stderr)
	}
	// A model with names, and rows without.
	named, _ := trained(t, "--target", "color")
	fail(t, ui.ExitUsage, "--target is missing: the columns have no names", "update", named, data)
	testutil.Contains(t, succeed(t, "update", named, "--target", "5", data), "learned 150 rows")
}

// TestNumericNames has a header of numbers, which is known by the names of the model.
func TestNumericNames(t *testing.T) {
	dir := t.TempDir()
	body := csvText(samples(150, 1), false, "a", "b", "c", "d", "color")
	data := writeText(t, dir, "train.csv", "1,2,3,4,color\n"+body)
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--out", model, "--target", "color", data)...)
	inputs := writeText(t, dir, "x.csv", "4,3,2,1\n"+csvText(samples(150, 1), false, "d", "c", "b", "a"))
	want := succeed(t, "predict", model, data)
	if got := succeed(t, "predict", model, inputs); got != want || strings.Count(got, "\n") != 151 {
		t.Errorf("%d lines, the same: %v", strings.Count(got, "\n"), got == want)
	}
	testutil.Contains(t, succeed(t, "update", model, "--again", data), "learned 150 rows")
	// A second file without a header is not one row shorter.
	second := writeText(t, dir, "second.csv", csvText(samples(20, 2), false, "d", "c", "b", "a"))
	named, _ := trained(t, "--target", "color")
	first := writeText(t, dir, "first.csv", csvText(samples(10, 2), true, "d", "c", "b", "a"))
	if n := strings.Count(succeed(t, "predict", named, first, second), "\n"); n != 31 {
		t.Errorf("%d lines", n)
	}
}

// TestTwice has a name twice: which column is meant nobody knows.
func TestTwice(t *testing.T) {
	model, _ := trained(t, "--target", "color")
	dir := t.TempDir()
	for header, what := range map[string]string{"a,b,c,d,a,color": `"a"`, "a,b,c,d,color,color": `"color"`} {
		data := writeText(t, dir, "x.csv", header+"\n1,2,3,4,5,red\n")
		fail(t, ui.ExitFailure, "x.csv: has more than one column named "+what+": give its number from 1", "update", model, data)
	}
	data := writeText(t, dir, "x.csv", "a,b,c,d,a,color\n1,2,3,4,5,red\n")
	if n := strings.Count(succeed(t, "predict", model, "--inputs", "1-4", data), "\n"); n != 2 {
		t.Errorf("%d lines", n)
	}
}

// TestPipes reads from a pipe all rows, as from a file: the look at the columns takes none away.
func TestPipes(t *testing.T) {
	all := []string{"a", "b", "c", "d", "color"}
	for name, text := range map[string]string{
		"header":    csvText(samples(3000, 1), true, all...),
		"no header": csvText(samples(3000, 1), false, all...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			model := filepath.Join(dir, "m.bls")
			piped := func(args ...string) string { return throughPipe(t, text, args...) }
			testutil.Contains(t, piped(small("--out", model, "--target", "5", "PIPE")...), "learned 3000 rows")
			testutil.Contains(t, piped("update", model, "--target", "5", "PIPE"), "learned 3000 rows")
			if q := object[learn.Classification](t, piped("evaluate", "--json", model, "--target", "5", "PIPE")); q.Rows != 3000 {
				t.Errorf("%d rows", q.Rows)
			}
			if n := strings.Count(piped("predict", model, "--target", "5", "PIPE"), "\n"); n != 3001 {
				t.Errorf("%d lines", n)
			}
			if name == "no header" {
				return
			}
			if n := strings.Count(piped("predict", model, "PIPE"), "\n"); n != 3001 {
				t.Errorf("%d lines by name", n)
			}
			// What is read once is not resumed.
			pipe := pipeWith(t, text)
			fail(t, ui.ExitUsage, "--resume reads the data from the beginning again, which "+pipe+" cannot be", "update", model, "--resume", pipe)
		})
	}
}

// throughPipe runs the command with a pipe that has the text in place of PIPE.
func throughPipe(t *testing.T, text string, args ...string) string {
	t.Helper()
	pipe := pipeWith(t, text)
	for i, a := range args {
		if a == "PIPE" {
			args[i] = pipe
		}
	}
	return succeed(t, args...)
}

// TestTargetsFromInput has the labels on standard input and the inputs in a file, and reads both once.
func TestTargetsFromInput(t *testing.T) {
	dir := t.TempDir()
	x := writeText(t, dir, "x.csv", csvText(samples(300, 1), true, "a", "b", "c", "d"))
	labels := csvText(samples(300, 1), false, "color")
	model := filepath.Join(dir, "m.bls")
	for _, args := range [][]string{
		small("--out", model, "--targets-file", "-", x),
		{"update", model, "--again", "--targets-file", "-", x},
	} {
		testutil.Contains(t, piped(t, labels, args...), "learned 300 rows")
	}
}

// TestCheckpointsOfInput says of checkpoints that nothing can go on with them, before and after.
func TestCheckpointsOfInput(t *testing.T) {
	good := csvText(samples(300, 1), true, "a", "b", "c", "d", "color")
	pipe := pipeWith(t, good+"1,2,3,4,x\n")
	dir := t.TempDir()
	model := filepath.Join(dir, "m.bls")
	status, _, stderr := inProcess(small("--out", model, "--target", "color", "--classes", "dark blue,green,red", "--checkpoint", "50", pipe)...)
	if status != ui.ExitFailure || !strings.Contains(stderr, "note: no run can resume from these checkpoints, since "+pipe+" cannot be read again") {
		t.Fatalf("status %d, %q", status, stderr)
	}
	more := writeText(t, dir, "more.csv", good)
	want := "and no run can resume from it, since " + pipe +
		" cannot be read again: learn these rows all the same with --restart"
	for _, flags := range [][]string{nil, {"--resume"}} {
		fail(t, ui.ExitUsage, want, append([]string{"update", model, more}, flags...)...)
	}
	succeed(t, "update", model, "--restart", more)
	if n := loaded(t, model); n != 600 {
		t.Errorf("%d samples", n)
	}
	if _, err := os.Stat(pipe); err != nil {
		t.Error(err)
	}
}

// TestInputLacksColumns names standard input in the error for missing columns.
func TestInputLacksColumns(t *testing.T) {
	model, _ := trained(t, "--target", "color")
	cmd := command(t, nil, "predict", model, "-")
	cmd.Stdin = strings.NewReader("a,b,d\n1,2,3\n")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("no error")
	}
	testutil.Contains(t, string(out), `: standard input: lacks the columns "c" of the model`)
}
