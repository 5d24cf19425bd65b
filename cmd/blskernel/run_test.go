package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
)

// parseRows reads the output of --json, strictly: an object a line and the keys of bench.TableRow only.
func parseRows(t *testing.T, out string) []bench.TableRow {
	t.Helper()
	var rows []bench.TableRow
	for line := range strings.Lines(out) {
		rows = append(rows, object[bench.TableRow](t, line))
		keys := object[map[string]any](t, line)
		for _, key := range []string{"step", "samples", "cells", "feature_seconds"} {
			if _, ok := keys[key]; !ok || !strings.HasSuffix(line, "\n") {
				t.Errorf("%q, or the end, is missing in %q", key, line)
			}
		}
	}
	return rows
}

// checkRows checks that every step has a cell of both methods.
func checkRows(t *testing.T, rows []bench.TableRow, initial, batch, updates int) {
	t.Helper()
	if len(rows) != updates+1 {
		t.Fatalf("%d rows; want one for the start and each of %d updates", len(rows), updates)
	}
	for i, r := range rows {
		if len(r.Cells) != 2 || r.Cells[0].Method != "original" || r.Cells[1].Method != "improved" || r.Samples != initial+i*batch {
			t.Errorf("row %d: %+v; want original and improved, %d samples", i, r, initial+i*batch)
		}
	}
}

func TestJSON(t *testing.T) {
	var before []bench.TableRow
	dir := t.TempDir()
	testutil.NoError(t, writeIDX(dir, 130))
	for _, seed := range []string{"7", "7", "8"} {
		rows := parseRows(t, silent(t, quick("--data", dir, "--json", "--seed", seed)...))
		checkRows(t, rows, 90, 20, 2)
		for i := range rows {
			rows[i].FeatureSeconds, rows[i].Peak = 0, 0
			for j := range rows[i].Cells {
				c := &rows[i].Cells[j]
				c.Seconds, c.TotalSeconds = 0, 0
				for k := range c.Steps {
					c.Steps[k].Seconds = 0
				}
			}
		}
		same := before != nil && reflect.DeepEqual(rows, before)
		if want := before != nil && seed == "7"; same != want {
			t.Errorf("seed %s after seed 7: same rows: %v; want %v", seed, same, want)
		}
		before = rows
	}
}

// TestTable looks at what people see.
func TestTable(t *testing.T) {
	for _, tc := range []struct {
		flags       []string
		lines, last int // of the output, of the table
		want        []string
	}{
		{nil, 15, 13, []string{
			"training   synthetic digits of seed 1: 130 images of 28 x 28 in 10 classes\n",
			"test       synthetic digits of seed 2: 2000 images\n",
			"nodes      k = 60: 4 groups of 5 feature nodes, 40 enhancement nodes; seed 1\n",
			"samples    90, then 2 updates of q = 20; lambda = 2^-30\n",
			"accuracies within 0.00 points, W within ",
		}},
		{[]string{"--method", "improved", "--lambda", "0.1", "--updates", "0"}, 8, 8, []string{"then 0 updates of q = 20; lambda = 0.1\n"}},
	} {
		stdout := succeed(t, quick(tc.flags...)...)
		testutil.Contains(t, stdout, tc.want...)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		if len(lines) != tc.lines {
			t.Fatalf("%v: %d lines, want %d:\n%s", tc.flags, len(lines), tc.lines, stdout)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 120 || strings.TrimRight(line, " ") != line {
				t.Errorf("%v: %d columns, or blanks at the end: %q", tc.flags, n, line)
			}
		}
		// All end in the same column, as the heads do.
		heads := lines[6]
		for _, line := range lines[7:tc.last] {
			if len(line) != len(heads) || !strings.Contains(line, " equal") {
				t.Errorf("%v: the line\n%s\nis not aligned with\n%s", tc.flags, line, heads)
			}
		}
	}
}

// cancelAfter cancels when the given number of lines has been written.
type cancelAfter struct {
	bytes.Buffer
	lines  int
	cancel func()
	once   sync.Once
}

func (c *cancelAfter) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if bytes.Count(c.Bytes(), []byte("\n")) >= c.lines {
		c.once.Do(c.cancel)
	}
	return n, err
}

// interruptedAfter runs a command that gets a signal when it has written so many lines to standard
// output.
func interruptedAfter(lines int, s os.Signal, args ...string) (status int, stdout, stderr string) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &cancelAfter{lines: lines, cancel: func() { cancel(interrupt.SignalError{Signal: s}) }}
	if lines == 0 {
		out.cancel()
	}
	var errs bytes.Buffer
	status = run(ctx, args, ui.Streams{Out: out, Err: &errs})
	return status, out.String(), errs.String()
}

func TestInterruptedBefore(t *testing.T) {
	for _, args := range [][]string{
		quick(), {"demo", "--data", t.TempDir()}, quickBench("--n", "3"), strings.Fields("paper --size 0.01 --table 2 --embedded"),
		{"train", "--out", filepath.Join(t.TempDir(), "m"), os.DevNull},
	} {
		status, stdout, stderr := interruptedAfter(0, syscall.SIGTERM, args...)
		if want := "blskernel " + args[0] + ": terminated\n"; status != 143 || stdout != "" || stderr != want {
			t.Errorf("status %d, stdout %q, stderr %q; want 143 and %q", status, stdout, stderr, want)
		}
	}
}

// broken fails like a file on a full disk.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestWriteErrors(t *testing.T) {
	bench, dir := quickBench("--n", "3"), t.TempDir()
	testutil.NoError(t, writeIDX(dir, 130))
	for _, args := range [][]string{
		quick("--data", dir), quick("--data", dir, "--json"), {"info"}, {"info", "--json"}, bench, append(bench, "--json"), strings.Fields("paper --size 0.01 --table 1"),
	} {
		for err, want := range map[error]int{errors.New("no space left on device"): ui.ExitFailure, syscall.EPIPE: 141} {
			var errs bytes.Buffer
			status := run(context.Background(), args, ui.Streams{Out: broken{err}, Err: &errs})
			if status != want || strings.HasSuffix(errs.String(), ": no space left on device\n") != (want == ui.ExitFailure) {
				t.Errorf("%v, %v: status %d, stderr %q", args, err, status, errs.String())
			}
		}
	}
}
