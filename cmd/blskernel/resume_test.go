package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/dataset/stream"
	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// stopAfter runs a command that is interrupted when it has written so many lines to standard output.
func stopAfter(t *testing.T, lines int, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &cancelAfter{lines: lines, cancel: func() { cancel(interrupt.SignalError{Signal: os.Interrupt}) }}
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
	if i, err := inspect(context.Background(), path("often.bls"), nil); err != nil || i.Metadata.Progress.Done || i.Metadata.Progress.Rows < 400 || int64(i.Samples) != i.Metadata.Progress.Rows {
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

// TestResumeRefused has checkpoints of something else. What differs is named, as it was and as it is.
func TestResumeRefused(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(400, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	train := func(flags ...string) []string {
		return small(append(flags, "--target", "color", "--out", model, data)...)
	}
	resumed := train("--checkpoint", "50", "--resume")
	stopAfter(t, 1, resumed...)
	fail(t, exitUsage, "another training, it was begun with --seed 1, and here that is 2: give", train("--checkpoint", "50", "--resume", "--seed", "2")...)
	fail(t, exitUsage, `it was begun with --inputs [], and here that is "[1,2]"`, train("--resume", "--inputs", "1,2")...)
	fail(t, exitUsage, "it was begun with 1 file of data, and here are 2", append(resumed, data)...)
	// Flags that change nothing about the result may be others.
	stopAfter(t, 1, train("--checkpoint", "60", "--resume", "--verbose")...)
	if b, err := blskernel.Lookup(""); err != nil {
		t.Fatal(err)
	} else if _, kernel := computing(b)["kernel"]; kernel {
		stopAfter(t, 1, train("--checkpoint", "50", "--resume", "--threads", "1")...)
		defer blskernel.SetThreads(0)
	}
	// An update of a model that is half trained is possible if that is wanted.
	fail(t, exitUsage, "finish that first, or begin with --restart", "update", model, "--resume", data)
	succeed(t, "update", model, "--restart", data)
	succeed(t, "update", model, data)
	fail(t, exitUsage, `it is of the command "update"`, resumed...)
	// What was learned to the end is not learned again because a flag is another.
	fail(t, exitUsage, "--resume: "+model+" has learned this data by an update that was finished, and is not this one: it was begun with --batch 0, and here that is 7",
		"update", model, "--resume", "--batch", "7", data)
	succeed(t, train()...)
}

// TestResumeContent goes on with files that have changed: after the checkpoint they may, before it not,
// whatever their sizes and times say.
func TestResumeContent(t *testing.T) {
	dir := t.TempDir()
	all := []string{"a", "b", "c", "d", "color"}
	rows := samples(400, 1)
	right := csvText(rows, true, all...)
	lines := strings.SplitAfter(right, "\n")
	wrong := slices.Clone(lines)
	wrong[300] = strings.Replace(wrong[300], rows[299].label, "x", 1)
	once := filepath.Join(dir, "once.bls")
	data := writeText(t, dir, "x.csv", right)
	succeed(t, small("--target", "color", "--out", once, data)...)
	want := state(t, once)

	model := filepath.Join(dir, "m.bls")
	resumed := small("--target", "color", "--checkpoint", "50", "--resume", "--out", model, data)
	writeText(t, dir, "x.csv", strings.Join(wrong, ""))
	status, stdout, stderr := inProcess(resumed...)
	if status != exitFailure || !strings.Contains(stderr, `x.csv:301: the label "x" is none of the 3 classes`) || !strings.Contains(stdout, "checkpoint after 250 rows") {
		t.Fatalf("status %d, %q, %q", status, stdout, stderr)
	}
	before := state(t, model)
	for _, tc := range []struct{ text, want string }{
		{strings.Join(slices.Concat(lines[:7], lines[8:]), ""), "the first 250 rows of the data are not those that " + model + " has learned: give it the data of before, or leave out --resume"},
		{strings.Join(lines[:200], ""), "the data has 199 rows, and " + model + " has learned 250"},
	} {
		writeText(t, dir, "x.csv", tc.text)
		fail(t, exitUsage, tc.want, resumed...)
		if !bytes.Equal(state(t, model), before) {
			t.Fatal("the checkpoint has changed")
		}
	}
	// The row is corrected, and the rows are written in another way.
	writeText(t, dir, "x.csv", strings.NewReplacer(",", " ; ", "\n", "\r\n").Replace(right))
	succeed(t, resumed...)
	if !bytes.Equal(state(t, model), want) {
		t.Error("the training that was stopped has another result")
	}
	// Rows that come to the end later are learned, and those before them are not learned again.
	if out := succeed(t, resumed...); !strings.Contains(out, "is done: all 400 rows have been learned") {
		t.Errorf("%q", out)
	}
	writeText(t, dir, "x.csv", right+strings.Join(lines[1:31], ""))
	if out := succeed(t, resumed...); !strings.Contains(out, "learned 30 rows") || loaded(t, model) != 430 {
		t.Errorf("%q", out)
	}
}

// TestRowSum depends on the values and their order, and not on the batches.
func TestRowSum(t *testing.T) {
	sum := func(batches ...*stream.Batch) string {
		s := newRowSum()
		for _, b := range batches {
			s.add(b)
		}
		return s.text()
	}
	batch := func(labels []string, y, x []float64) *stream.Batch {
		b := &stream.Batch{X: mat.NewDense(len(x)/2, 2, x), Labels: labels}
		if y != nil {
			b.Y = mat.NewDense(len(x)/2, len(y)*2/len(x), y)
		}
		return b
	}
	whole := sum(batch([]string{"a", "bc"}, nil, []float64{1, 2, 3, 4}))
	if parts := sum(batch([]string{"a"}, nil, []float64{1, 2}), batch([]string{"bc"}, nil, []float64{3, 4})); parts != whole {
		t.Errorf("%s in parts, %s as a whole", parts, whole)
	}
	for _, other := range []*stream.Batch{
		batch([]string{"ab", "c"}, nil, []float64{1, 2, 3, 4}), batch([]string{"a", "bc"}, nil, []float64{1, 2, 4, 3}),
		batch([]string{"a"}, nil, []float64{1, 2}), batch(nil, []float64{1, 2}, []float64{1, 2, 3, 4}), batch(nil, []float64{2, 1}, []float64{1, 2, 3, 4}),
	} {
		if sum(other) == whole {
			t.Errorf("%v has the same checksum", other)
		}
	}
}

// TestLocked has a model that another process is about to change.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--out", model, data)...)
	before := state(t, model)
	lock, err := lockModel(nil, model)
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
