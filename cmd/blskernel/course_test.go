package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// TestAheadEnds takes once more than there is, and from a reading that was stopped: there is always a
// batch or an error.
func TestAheadEnds(t *testing.T) {
	data := writeText(t, t.TempDir(), "x.csv", "1,2\n3,4\n")
	ctx := context.Background()
	r, err := stream.Open(ctx, []string{data}, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := readAhead(ctx, r, 0, 10, 10)
	if f, _ := a.take(ctx); f.err != nil || f.batch == nil {
		t.Fatal(f.err)
	}
	if f, _ := a.take(ctx); !errors.Is(f.err, io.EOF) {
		t.Fatal(f.err)
	}
	if f, _ := a.take(ctx); f.err == nil {
		t.Error("neither a batch nor an error after the end")
	}
	// The channel is closed while the other context is not yet known to be done.
	if r, err = stream.Open(ctx, []string{data}, stream.Options{}); err != nil {
		t.Fatal(err)
	}
	a = readAhead(ctx, r, 0, 1, 1)
	a.stop()
	for n := 0; ; n++ {
		f, _ := a.take(ctx)
		if f.err != nil {
			break
		}
		if f.batch == nil || n > 2 {
			t.Fatal("neither a batch nor an error")
		}
	}
}

// TestAheadBounded reads one batch ahead and no more, however long nobody takes it, and keeps the rows
// that are known apart from the others.
func TestAheadBounded(t *testing.T) {
	data := writeText(t, t.TempDir(), "x.csv", strings.Repeat("1,2\n", 100))
	ctx := context.Background()
	r, err := stream.Open(ctx, []string{data}, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := readAhead(ctx, r, 25, 30, 10)
	defer a.stop()
	if n := cap(a.batches); n != 0 {
		t.Errorf("%d batches wait beside the one that is handed over", n)
	}
	for _, want := range []int{10, 10, 5, 30, 10, 10, 10, 10, 5} {
		f, _ := a.take(ctx)
		if f.err != nil {
			t.Fatal(f.err)
		}
		if rows, _ := f.batch.X.Dims(); rows != want {
			t.Errorf("%d rows; want %d", rows, want)
		}
	}
	if f, _ := a.take(ctx); !errors.Is(f.err, io.EOF) {
		t.Error(f.err)
	}
}

// TestWideBatches has a batch of the same number of bytes for any number of columns, so that memory
// does not grow with them, and keeps its rows in the model.
func TestWideBatches(t *testing.T) {
	for _, tc := range []struct {
		given batchRows
		d     int
		want  int
	}{{0, 1, 4096}, {0, 1024, 4096}, {0, 1025, 4092}, {0, 20000, 209}, {0, 10_000_000, 1}, {7, 20000, 7}} {
		if got := tc.given.of(tc.d); got != tc.want || tc.given == 0 && got > 1 && 8*got*tc.d > batchBytes {
			t.Errorf("%d columns: %d rows; want %d", tc.d, got, tc.want)
		}
	}
	const d, rows = 20000, 240
	dir := t.TempDir()
	line := strings.Repeat("0,", d-4)
	var text strings.Builder
	for i, s := range strings.SplitAfter(csvText(samples(rows, 1), false, "a", "b", "c", "d", "color"), "\n")[:rows] {
		text.WriteString(line[:2*i%7] + line[2*i%7:] + s)
	}
	data := writeText(t, dir, "wide.csv", text.String())
	model := filepath.Join(dir, "m.bls")
	out := succeed(t, "train", "--out", model, "--groups", "1", "--group-nodes", "3", "--enhancement", "2", "--target", "20001", "--scale", "none", "--checkpoint", "1", data)
	// The first batch, of the larger of 209 and twice the nodes, and the rest.
	if !strings.Contains(out, "checkpoint after 240 rows\n") || !strings.Contains(out, "learned 240 rows") {
		t.Errorf("%q", out)
	}
	f, err := modelfile.Load(model, nil)
	if err != nil || f.Metadata.Batch != 209 {
		t.Errorf("batches of %d rows (%v)", f.Metadata.Batch, err)
	}
}

// TestExpectedRows estimates the rows by what the first batch took of the file, and not by what has been
// read ahead of it.
func TestExpectedRows(t *testing.T) {
	const rows, first = 20000, 100
	data := writeText(t, t.TempDir(), "x.csv", strings.Repeat("1.25,2.5,3.75\n", rows))
	ctx := context.Background()
	for range 5 {
		r, err := stream.Open(ctx, []string{data}, stream.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := readAhead(ctx, r, 0, first, first)
		time.Sleep(time.Millisecond) // in which more could be read
		f, _ := a.take(ctx)
		a.stop()
		if got := expectedRows(f, first, r.Rows()); got != rows {
			t.Errorf("%v rows are expected; want %d", got, rows)
		}
	}
	if got := expectedRows(fetched{total: -1}, first, -1); got != unknownGrowth*first {
		t.Errorf("%v", got)
	}
	if got := expectedRows(fetched{total: 10, done: 1}, first, 7); got != 7 {
		t.Errorf("%v", got)
	}
}

// TestFolderNotOnDisk has a model that was written while its folder could not be brought to the disk:
// the result is told, with an error that keeps people from learning the rows twice.
func TestFolderNotOnDisk(t *testing.T) {
	model, test := trained(t, "--target", "color")
	var out, errs bytes.Buffer
	c, stop := courseOf(t, model, test, streams{out: &out, err: &errs})
	defer stop()
	saved := 0
	c.save = func(path string, f *modelfile.File) error {
		saved++
		if err := modelfile.Save(path, f); err != nil {
			return err
		}
		return &atomicfile.FolderError{Path: path, Err: os.ErrPermission}
	}
	err := c.run(context.Background())
	if err == nil || !errors.Is(err, os.ErrPermission) || !strings.HasSuffix(err.Error(), "; the rows are in the model: do not repeat the update") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(out.String(), "500 samples in all\nlearned 100 rows") || strings.Contains(out.String(), "checkpoint") {
		t.Errorf("%q", out.String())
	}
	if saved != 3 || strings.Count(errs.String(), "its folder could not be brought to the disk") != 2 {
		t.Errorf("written %d times, %q", saved, errs.String())
	}
	if n := loaded(t, model); n != 500 {
		t.Errorf("%d samples", n)
	}
}

// TestNotWritten has a model that cannot be written: nothing is told as a result.
func TestNotWritten(t *testing.T) {
	model, test := trained(t, "--target", "color")
	var out, errs bytes.Buffer
	c, stop := courseOf(t, model, test, streams{out: &out, err: &errs})
	defer stop()
	c.save = func(string, *modelfile.File) error { return io.ErrShortWrite }
	if err := c.run(context.Background()); !errors.Is(err, io.ErrShortWrite) || out.Len() != 0 || c.kept != 0 {
		t.Errorf("%v, %q, %d rows kept", err, out.String(), c.kept)
	}
	if n := loaded(t, model); n != 400 {
		t.Errorf("%d samples", n)
	}
}

// TestNotWrittenAtInterruption has a model that cannot be written at an interruption: that is told, and not the interruption
// alone.
func TestNotWrittenAtInterruption(t *testing.T) {
	model, test := trained(t, "--target", "color")
	c, stop := courseOf(t, model, test, streams{out: io.Discard, err: io.Discard})
	defer stop()
	c.save = func(string, *modelfile.File) error { return io.ErrShortWrite }
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupt.SignalError{Signal: os.Interrupt})
	c.rows = 10 // learned, and in no file
	err := c.stopped(ctx, context.Canceled)
	var stopped interrupt.SignalError
	if !errors.Is(err, io.ErrShortWrite) || !strings.HasPrefix(err.Error(), "interrupted, and ") || errors.As(err, &stopped) {
		t.Errorf("%v", err)
	}
}

// courseOf returns the course of an update with checkpoints every 50 rows.
func courseOf(t *testing.T, model, data string, to streams) (c *course, stop func()) {
	t.Helper()
	ctx := context.Background()
	l, err := loadModel(ctx, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openMatched(ctx, l, &sourceSettings{paths: []string{data}}, stream.Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	c = &course{
		talk: (&talkSettings{}).begin(to), model: l, path: model, standing: &standing{command: "update"}, every: interval{rows: 50},
		sum: newRowSum(), begun: time.Now(), last: time.Now(), total: r.Rows(), explain: explainUpdate,
	}
	c.batches = readAhead(ctx, r, 0, 50, 50)
	return c, c.batches.stop
}

// TestQuiet prints no notes.
func TestQuiet(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(400, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	stopAfter(t, 1, small("--target", "color", "--checkpoint", "100", "--out", model, data)...)
	for _, args := range [][]string{{"predict", model, data}, {"evaluate", model, data}, {"export", model, "--out", filepath.Join(dir, "m.npz")}} {
		if status, _, stderr := inProcess(args...); status != 0 || !strings.Contains(stderr, "note: ") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
		if status, _, stderr := inProcess(append(args, "--quiet")...); status != 0 || stderr != "" {
			t.Errorf("%q --quiet: status %d, %q", args, status, stderr)
		}
	}
	if out := succeed(t, "inspect", model, "--quiet", "--backend", "pure", "--threads", "1"); !strings.Contains(out, "a checkpoint of a training") {
		t.Errorf("%q", out)
	}
}

// TestTooLarge names the line whose values are too large for the model.
func TestTooLarge(t *testing.T) {
	model, _ := trained(t, "--target", "color", "--scale", "none")
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", "a,b,c,d,color\n1,2,3,4,red\n1e308,1e308,1e308,1e308,red\n")
	for _, command := range []string{"update", "evaluate"} {
		fail(t, exitFailure, "x.csv:3: the nodes would be beyond the largest number", command, model, data)
	}
	b := &stream.Batch{X: mat.NewDense(1, 1, nil)}
	if _, err := classesOf(mat.NewDense(1, 2, []float64{math.NaN(), math.NaN()}), b); err == nil || !strings.Contains(err.Error(), "the scores are no numbers") {
		t.Error(err)
	}
}
