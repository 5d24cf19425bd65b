package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stopAfter runs a command that is interrupted when it has written so many lines to standard output.
func stopAfter(t *testing.T, lines int, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &cancelAfter{lines: lines, cancel: func() { cancel(signalError{os.Interrupt}) }}
	var errs bytes.Buffer
	if status := run(ctx, args, streams{out: out, err: &errs}); status != 130 {
		t.Fatalf("%q: status %d, stdout %q, stderr %q; want 130", args, status, out.String(), errs.String())
	}
}

// TestResume stops a training and an update after some checkpoints and goes on with them, until the
// models are to the bit those that were never stopped.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	first := writeText(t, dir, "1.csv", csvText(samples(530, 1), true, "a", "b", "c", "d", "color"))
	second := writeText(t, dir, "2.csv", csvText(samples(470, 2), true, "a", "b", "c", "d", "color"))
	path := func(name string) string { return filepath.Join(dir, name) }
	train := func(out string, flags ...string) []string {
		return small(append(flags, "--target", "color", "--out", out, first, second)...)
	}
	succeed(t, train(path("once.bls"))...)
	want := state(t, path("once.bls"))

	resumed := train(path("often.bls"), "--checkpoint", "100", "--resume")
	for _, lines := range []int{1, 2, 1} {
		stopAfter(t, lines, resumed...)
	}
	if i, err := inspect(context.Background(), path("often.bls")); err != nil || i.Metadata.Progress.Done || i.Metadata.Progress.Rows < 400 || int64(i.Samples) != i.Metadata.Progress.Rows {
		t.Fatalf("%+v (%v)", i, err)
	}
	if _, _, stderr := inProcess("predict", path("often.bls"), second); !strings.Contains(stderr, "is a checkpoint of a training that stopped after ") {
		t.Errorf("predict says %q", stderr)
	}
	fail(t, exitUsage, "is a checkpoint of a training that stopped after", "update", path("often.bls"), second)
	succeed(t, resumed...)
	if !bytes.Equal(state(t, path("often.bls")), want) {
		t.Error("the training that was stopped has another result")
	}
	if out := succeed(t, resumed...); !strings.Contains(out, "is done: all 1000 rows have been learned") {
		t.Errorf("%q", out)
	}

	succeed(t, "update", path("once.bls"), second)
	want = state(t, path("once.bls"))
	update := []string{"update", path("often.bls"), "--checkpoint", "100", "--resume", second}
	for range 2 {
		stopAfter(t, 1, update...)
	}
	fail(t, exitUsage, "is a checkpoint of an update that stopped after", "update", path("often.bls"), second)
	succeed(t, update...)
	if !bytes.Equal(state(t, path("often.bls")), want) {
		t.Error("the update that was stopped has another result")
	}
	if out := succeed(t, update...); !strings.Contains(out, "is done: all 470 rows have been learned") {
		t.Errorf("%q", out)
	}
}

// TestResumeRefused has checkpoints of something else.
func TestResumeRefused(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(400, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	train := func(flags ...string) []string {
		return small(append(flags, "--target", "color", "--out", model, data)...)
	}
	resumed := train("--checkpoint", "50", "--resume")
	stopAfter(t, 1, resumed...)
	fail(t, exitUsage, "it was begun with other flags", train("--checkpoint", "50", "--resume", "--seed", "2")...)
	fail(t, exitUsage, "it was begun with 1 file of data, and here are 2", append(resumed, data)...)
	// Flags that change nothing about the result may be others.
	stopAfter(t, 1, train("--checkpoint", "60", "--resume", "--verbose")...)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(data, later, later); err != nil {
		t.Fatal(err)
	}
	fail(t, exitUsage, "x.csv has been changed since", resumed...)
	// An update of a model that is half trained is possible if that is wanted.
	fail(t, exitUsage, "finish that first, or begin with --restart", "update", model, "--resume", data)
	succeed(t, "update", model, "--restart", data)
	succeed(t, "update", model, data)
	fail(t, exitUsage, `it is of the command "update"`, resumed...)
	succeed(t, train()...)
}

// TestLocked has a model that another process is about to change.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--out", model, data)...)
	before := state(t, model)
	lock, err := lockModel(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"update", model, data}, small("--target", "color", "--out", model, data)} {
		fail(t, exitFailure, "is being changed by another process", args...)
	}
	link := filepath.Join(t.TempDir(), "link.bls")
	if err := os.Symlink(model, link); err == nil {
		fail(t, exitFailure, "is being changed by another process", "update", link, data)
	}
	succeed(t, "predict", model, data) // reading is free
	lock.release()
	if !bytes.Equal(state(t, model), before) {
		t.Error("the model has changed")
	}
	// What a killed process has left goes away.
	leftover := writeText(t, dir, ".m.bls.0123abcd.tmp", "half a model")
	other := writeText(t, dir, ".m.bls2.0123abcd.tmp", "of another model")
	succeed(t, "update", model, data)
	if _, err := os.Stat(leftover); err == nil {
		t.Error("a leftover is still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("the leftover of another model is gone")
	}
	entries, err := filepath.Glob(filepath.Join(dir, ".*.lock"))
	if err != nil || len(entries) != 0 {
		t.Errorf("%v is left (%v)", entries, err)
	}
}

func TestInterval(t *testing.T) {
	for _, tc := range []struct{ in, out string }{{"100", "100"}, {"5m", "5m0s"}, {"1.5s", "1.5s"}} {
		var v interval
		if err := v.Set(tc.in); err != nil || v.String() != tc.out {
			t.Errorf("%q becomes %q (%v)", tc.in, v.String(), err)
		}
	}
	for _, bad := range []string{"", "0", "-1", "0s", "-5m", "x", "1.5"} {
		v := interval{rows: 7}
		if err := v.Set(bad); err == nil || v.rows != 7 {
			t.Errorf("%q is taken for %v (%v)", bad, v, err)
		}
	}
	v := interval{rows: 10}
	if v.due(9, time.Hour) || !v.due(10, 0) || (interval{}).due(1000, time.Hour) || !(interval{time: time.Second}).due(0, time.Second) {
		t.Error("not due when it should be")
	}
}
