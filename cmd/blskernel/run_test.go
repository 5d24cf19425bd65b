package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/testutil"
)

// TestJSON checks that every step has a strict JSON row, equal for equal seeds except for the times.
func TestJSON(t *testing.T) {
	times := regexp.MustCompile(`"(feature_seconds|seconds|total_seconds|peak)":[^,}]+`)
	dir, before := t.TempDir(), ""
	testutil.NoError(t, writeIDX(dir, 130))
	for _, seed := range []string{"7", "7", "8"} {
		out := silent(t, quick("--data", dir, "--json", "--seed", seed)...)
		for line := range strings.Lines(out) {
			object[bench.TableRow](t, line)
		}
		rows := times.ReplaceAllString(out, "$1")
		if strings.Count(rows, "feature_seconds") != 3 || (rows == before) != (before != "" && seed == "7") {
			t.Errorf("seed %s:\n%s; before\n%s", seed, rows, before)
		}
		before = rows
	}
}

// A cancelAfter cancels once the given number of lines has been written.
type cancelAfter struct {
	bytes.Buffer
	lines  int
	cancel func()
}

func (c *cancelAfter) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if bytes.Count(c.Bytes(), []byte("\n")) >= c.lines {
		c.cancel()
	}
	return n, err
}

// interruptedAfter runs a command that gets signal s after that many lines of standard output.
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
		quick("--data", dir), quick("--data", dir, "--json"), {"info"}, {"info", "--json"}, {"help"}, {"help", "train"}, {"-h"}, {"update", "-h"}, {"--version"}, {}, bench, append(bench, "--json"), strings.Fields("paper --size 0.01 --table 1"),
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
