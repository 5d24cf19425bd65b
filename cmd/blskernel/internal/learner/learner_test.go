package learner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

func trained(t *testing.T, method blsupdate.Method) *model.Model {
	t.Helper()
	x, labels := mat.NewDense(400, 2, nil), make([]int, 400)
	for i := range 400 {
		x.SetRow(i, []float64{float64(i * 7 % 31), float64(i * i % 17)})
		labels[i] = i % 2
	}
	c := &bls.Classifier{Features: bls.FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4, Shrink: 1, Scaling: bls.ScaleColumns}, Method: method}
	testutil.NoError(t, c.Fit(x, labels))
	return model.New(&modelfile.File{Classifier: c})
}

// TestNotWrittenAtInterruption interrupts a run whose model cannot be written: it reports both, not the
// interruption alone.
func TestNotWrittenAtInterruption(t *testing.T) {
	c := &Learner{Out: filepath.Join(t.TempDir(), "m.bls"), Model: trained(t, blsupdate.Gram), checkpoint: interval{rows: 50}, digest: xxhash.New(), rows: 10}
	testutil.NoError(t, c.Session.Begin(ui.Streams{Out: io.Discard, Err: io.Discard, FS: faultfs.Func(func(c faultfs.Call) (int, error) {
		if c.Op == faultfs.Open && !c.Reads {
			return 0, os.ErrPermission
		}
		return 0, nil
	})}))
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupt.SignalError{Signal: os.Interrupt})
	err := c.stopped(ctx, context.Canceled)
	var stopped interrupt.SignalError
	if !errors.Is(err, os.ErrPermission) || !strings.HasPrefix(err.Error(), "interrupted, but ") || errors.As(err, &stopped) {
		t.Errorf("%v", err)
	}
}

// TestLogThatDoesNotFit writes a model whose only operation has too many files for a model file.
func TestLogThatDoesNotFit(t *testing.T) {
	m := trained(t, blsupdate.Gram)
	m.Log(modelfile.Operation{Kind: modelfile.OpTrain, Files: make([]modelfile.Learned, 1<<15)})
	testutil.NoError(t, new(session.Session).Put(filepath.Join(t.TempDir(), "m.bls"), m))
}

// TestRoomAtEnd checks that a model that keeps all rows needs room for the present and the coming rows.
func TestRoomAtEnd(t *testing.T) {
	c := &Learner{Out: filepath.Join(t.TempDir(), "m.bls"), Model: trained(t, blsupdate.Improved), Total: 1 << 45}
	if err := c.checkEnd(); runtime.GOOS == "linux" && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d rows: %v", c.Total, err)
	}
	for _, tc := range []struct {
		total, rows, known int64
		holdout            model.Holdout
		want               int
	}{{-1, 0, 0, 0, 400}, {100, 0, 0, 0, 500}, {100, 0, 60, 0, 440}, {600, 400, 0, 0.5, 500}, {50, 0, 60, 0, 400}} {
		c.Total, c.rows, c.Known, c.Holdout = tc.total, tc.rows, tc.known, tc.holdout
		if got := c.samplesAtEnd(); got != tc.want {
			t.Errorf("%+v: %d samples", tc, got)
		}
	}
}

// TestRowSum checks that the sum depends on the values and their order, but not on the batches.
func TestRowSum(t *testing.T) {
	sum := func(batches ...*stream.Batch) string {
		c := Learner{digest: xxhash.New()}
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
