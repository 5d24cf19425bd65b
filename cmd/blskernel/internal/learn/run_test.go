package learn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// failing is a disk on which an operation fails.
func failing(op faultfs.Op) faultfs.Func {
	return func(c faultfs.Call) (int, error) {
		if c.Op == op {
			return 0, os.ErrPermission
		}
		return 0, nil
	}
}

// TestFolderNotOnDisk writes a model whose folder cannot be brought to the disk: the result is told,
// with an error that keeps people from learning the rows twice.
func TestFolderNotOnDisk(t *testing.T) {
	model, test := trained(t)
	var out, errs bytes.Buffer
	to := ui.Streams{Out: &out, Err: &errs, FS: failing(faultfs.SyncDir)}
	status := ui.Run(context.Background(), NewUpdate(to), []string{"--checkpoint", "50", "--batch", "50", model, test}, to)
	if status != ui.ExitFailure || !strings.HasSuffix(errs.String(), "; the rows are in the model: do not repeat the update\n") {
		t.Errorf("status %d, %q", status, errs.String())
	}
	if !strings.Contains(out.String(), "500 samples in all\nlearned 100 rows") || strings.Contains(out.String(), "checkpoint") {
		t.Errorf("%q", out.String())
	}
	if n := strings.Count(errs.String(), "its folder could not be brought to the disk"); n != 3 {
		t.Errorf("said %d times: %q", n, errs.String())
	}
	if n := loaded(t, model); n != 500 {
		t.Errorf("%d samples", n)
	}
}

// TestNotWrittenAtInterruption has a model that cannot be written at an interruption: that is told, and
// not the interruption alone.
func TestNotWrittenAtInterruption(t *testing.T) {
	path, _ := trained(t)
	c := &run{out: path, checkpoint: interval{rows: 50}, digest: xxhash.New(), rows: 10}
	ctx := context.Background()
	testutil.NoError(t, c.command.begin(ui.Streams{Out: io.Discard, Err: io.Discard, FS: failing(faultfs.Open)}))
	var err error
	c.model, err = c.load(ctx, path)
	testutil.NoError(t, err)
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(interrupt.SignalError{Signal: os.Interrupt})
	err = c.stopped(ctx, context.Canceled)
	var stopped interrupt.SignalError
	if !errors.Is(err, os.ErrPermission) || !strings.HasPrefix(err.Error(), "interrupted, and ") || errors.As(err, &stopped) {
		t.Errorf("%v", err)
	}
}

// TestErrorBesideInterruption has work fail while it is interrupted: what is told is that it failed,
// and an interruption only where the error says nothing else.
func TestErrorBesideInterruption(t *testing.T) {
	disk, why := errors.New("disk"), errors.New("interrupted")
	for _, tc := range []struct{ err, want error }{{disk, disk}, {context.Canceled, why}, {why, why}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		c := &run{last: time.Now()}
		c.Quiet = true
		testutil.NoError(t, c.Begin(ui.Streams{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}))
		_, err := c.each(ctx, reader(t, "1,2\n3,4\n"), 1, "", func(*stream.Batch) error {
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

// TestRoomAtEnd has a model that keeps all rows: those that it has and those to come need room.
func TestRoomAtEnd(t *testing.T) {
	path, _ := trained(t, "--method", "improved")
	c := &run{out: path, total: 1 << 45}
	var err error
	c.model, err = c.load(context.Background(), path)
	testutil.NoError(t, err)
	if err := c.checkEnd(); runtime.GOOS == "linux" && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d rows: %v", c.total, err)
	}
	for _, tc := range []struct {
		total, rows, known int64
		holdout            holdout
		want               int
	}{{-1, 0, 0, 0, 400}, {100, 0, 0, 0, 500}, {100, 0, 60, 0, 440}, {600, 400, 0, 0.5, 500}, {50, 0, 60, 0, 400}} {
		c.total, c.rows, c.known, c.holdout = tc.total, tc.rows, tc.known, tc.holdout
		if got := c.samplesAtEnd(); got != tc.want {
			t.Errorf("%+v: %d samples", tc, got)
		}
	}
}

// TestRecorded has names of which no two may become one.
func TestRecorded(t *testing.T) {
	for name, want := range map[string]string{"é.csv": "é.csv", `a\b`: `a\b`, "\xff": `\xff`, "\xfe": `\xfe`, `\xff`: `\\xff`, "\ufffd": "\ufffd"} {
		if got := recorded(name); got != want {
			t.Errorf("%q is recorded as %q; want %q", name, got, want)
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
	for text, want := range map[string]interval{"100": {rows: 100}, "5m": {time: 5 * time.Minute}, "1.5s": {time: 1500 * time.Millisecond}} {
		if v, err := parseInterval(text); err != nil || v != want {
			t.Errorf("%q is taken for %v (%v)", text, v, err)
		}
	}
	for _, bad := range []string{"", "0", "-1", "0s", "-5m", "x", "1.5"} {
		if v, err := parseInterval(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, v)
		}
	}
	v := interval{rows: 10}
	if v.due(9, time.Hour) || !v.due(10, 0) || (interval{}).due(1000, time.Hour) || !(interval{time: time.Second}).due(0, time.Second) {
		t.Error("not due when it should be")
	}
}

// TestListed has a model that lists as many files as it may: the oldest leave the list.
func TestListed(t *testing.T) {
	path := writeText(t, t.TempDir(), "new.csv", "1\n")
	c := reading{paths: []string{path}}
	m := &model.Model{File: &modelfile.File{Metadata: modelfile.Metadata{Learned: make([]modelfile.Learned, model.MaxLearned)}}}
	c.listLearned(m, rowCount{path: 1}, false)
	meta := m.Metadata
	if n := len(meta.Learned); n != model.MaxLearned || meta.Learned[n-1].Name != "new.csv" {
		t.Errorf("%d files, the last %+v", n, meta.Learned[n-1])
	}
}
