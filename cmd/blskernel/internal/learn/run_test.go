package learn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/interrupt"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// TestFolderNotOnDisk has a model that was written while its folder could not be brought to the disk:
// the result is told, with an error that keeps people from learning the rows twice.
func TestFolderNotOnDisk(t *testing.T) {
	model, test := trained(t)
	var out, errs bytes.Buffer
	c, stop := runOf(t, model, test, ui.Streams{Out: &out, Err: &errs})
	defer stop()
	saved := 0
	c.save = func(path string, f *modelfile.File) error {
		saved++
		if err := modelfile.Save(path, f); err != nil {
			return err
		}
		return &atomicfile.FolderError{Path: path, Err: os.ErrPermission}
	}
	err := c.learnAll(context.Background())
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
	model, test := trained(t)
	var out, errs bytes.Buffer
	c, stop := runOf(t, model, test, ui.Streams{Out: &out, Err: &errs})
	defer stop()
	c.save = func(string, *modelfile.File) error { return io.ErrShortWrite }
	if err := c.learnAll(context.Background()); !errors.Is(err, io.ErrShortWrite) || out.Len() != 0 || c.kept != 0 {
		t.Errorf("%v, %q, %d rows kept", err, out.String(), c.kept)
	}
	if n := loaded(t, model); n != 400 {
		t.Errorf("%d samples", n)
	}
}

// TestNotWrittenAtInterruption has a model that cannot be written at an interruption: that is told, and
// not the interruption alone.
func TestNotWrittenAtInterruption(t *testing.T) {
	model, test := trained(t)
	c, stop := runOf(t, model, test, ui.Streams{Out: io.Discard, Err: io.Discard})
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

// runOf returns the run of an update with checkpoints every 50 rows.
func runOf(t *testing.T, model, data string, to ui.Streams) (c *run, stop func()) {
	t.Helper()
	ctx := context.Background()
	c = &run{input: input{paths: []string{data}}, manifest: manifest{name: "update"}, out: model, checkpoint: interval{rows: 50}, begun: time.Now()}
	if err := c.command.begin(ctx, to); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.model, err = c.load(ctx, model); err != nil {
		t.Fatal(err)
	}
	r, err := c.openMatched(ctx, c.model, stream.Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	c.over(r, explainUpdate)
	c.batches = readAhead(ctx, r, 0, 50, 50)
	return c, c.batches.stop
}

// TestErrorBesideInterruption has work fail while it is interrupted: what is told is that it failed,
// and an interruption only where the error says nothing else.
func TestErrorBesideInterruption(t *testing.T) {
	data := writeText(t, t.TempDir(), "x.csv", "1,2\n3,4\n")
	disk, why := errors.New("disk"), errors.New("interrupted")
	for _, tc := range []struct{ err, want error }{{disk, disk}, {context.Canceled, why}, {why, why}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		r, err := stream.Open(ctx, []string{data}, stream.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := &run{last: time.Now(), explain: explainTraining}
		c.Quiet = true
		if err := c.Begin(ui.Streams{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}); err != nil {
			t.Fatal(err)
		}
		_, err = eachBatch(ctx, c.Progress, r, 50, "", func(fetched) error {
			cancel(why)
			return tc.err
		})
		if !errors.Is(err, tc.want) || errors.Is(err, disk) != (tc.want == disk) {
			t.Errorf("each batch: %v ended as %v; want %v", tc.err, err, tc.want)
		}

		if err := c.stopped(ctx, tc.err); !errors.Is(err, tc.want) || errors.Is(err, why) != (tc.want == why) {
			t.Errorf("a run: %v ended as %v; want %v", tc.err, err, tc.want)
		}
	}
}

// TestRowSum depends on the values and their order, and not on the batches.
func TestRowSum(t *testing.T) {
	sum := func(batches ...*stream.Batch) string {
		c := run{digest: xxhash.New()}
		for _, b := range batches {
			c.sum(b)
		}
		return c.content()
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
