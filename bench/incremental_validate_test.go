package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/io/memory"
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Incremental)
		want   string // in the message
		typed  any    // what errors.As must find
	}{
		{"initial", func(e *Incremental) { e.Initial = 0 }, "Initial is 0", nil},
		{"updates", func(e *Incremental) { e.Updates = -1 }, "Updates is -1", nil},
		{"batch", func(e *Incremental) { e.Batch = 0 }, "Batch is 0", nil},
		{"variants", func(e *Incremental) { e.Variants = nil }, "Variants is empty", nil},
		{"whitening", func(e *Incremental) { e.Whitening = "zca" }, `Whitening is "zca"`, nil},
		{"whitening of one", func(e *Incremental) { e.Whitening, e.Initial = WhitenUnit, 1 }, "needs at least 2 samples", nil},
		{"no train", func(e *Incremental) { e.Train = nil }, "Train has no images", nil},
		{"empty test", func(e *Incremental) { e.Test = dataset.Digits(0, 1) }, "Test has no images", nil},
		{"unlabeled", func(e *Incremental) { e.Train.Labels = nil }, "Train has 150 images and 0 labels", nil},
		{"size", func(e *Incremental) { e.Test.Rows, e.Test.Cols = 14, 56 }, "28×28 in Train and 14×56 in Test", nil},
		{"samples", func(e *Incremental) { e.Updates = 4 }, "synthetic digits has 150 samples, but 90 + 4×20", nil},
		{"initial samples", func(e *Incremental) { e.Initial, e.Updates = 151, 0 }, "has 150 samples, but 151", nil},
		{"overflow", func(e *Incremental) { e.Updates, e.Batch = math.MaxInt, math.MaxInt }, "has 150 samples", nil},
		{"rank", func(e *Incremental) { e.Initial = 59 }, "too few samples (59) for 60 nodes", new(*blsupdate.RankError)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := small(90, 20, 3)
			if err := e.Validate(); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			tc.change(e)
			err := e.Validate()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v; want %q in it", err, tc.want)
			}
			if tc.typed != nil && !errors.As(err, tc.typed) {
				t.Errorf("error %v is a %T; want a %T", err, err, tc.typed)
			}
			ran := e.Run(context.Background(), func(TableRow) error { t.Error("rows are emitted"); return nil }, nil)
			if ran == nil || ran.Error() != err.Error() {
				t.Errorf("Run returns %v; want %v", ran, err)
			}
		})
	}
	// With lambda = 0, the general formula allows a small start.
	e := small(30, 20, 3)
	e.Update.Lambda = 0
	if err := e.Validate(); err != nil {
		t.Errorf("30 samples for 60 nodes without a ridge: %v", err)
	}
}

// TestRunOptionErrors sets options that the lower layers refuse.
func TestRunOptionErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*Incremental)
		want   string
	}{
		{func(e *Incremental) { e.Features.Groups = -1 }, "bls: Groups is -1"},
		{func(e *Incremental) { e.Update.Lambda = math.NaN() }, "blsupdate: Lambda is NaN"},
		{func(e *Incremental) { e.Variants = Variants(7) }, "blsupdate: Method is Method(7)"},
		{func(e *Incremental) { e.Train.Labels[95] = 10 }, "bls: label 10 at index 5"},
	} {
		e := small(90, 20, 3)
		tc.change(e)
		err := e.Run(context.Background(), func(TableRow) error { return nil }, nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v; want %q in it", err, tc.want)
		}
	}
}

// TestStops cancels a run before its start, between steps and between methods, and fails to emit a row.
func TestStops(t *testing.T) {
	full := errors.New("disk full")
	const second = "improved, samples 91 to 110" // of step 1, which begins with it
	for name, tc := range map[string]struct {
		emit, tell int // the row or the message at which the run is canceled
		fails      bool
		rows       int
		doing      string
		want       error
	}{
		"before": {0, 0, false, 0, "", context.Canceled}, "between steps": {2, -1, false, 2, "test accuracy", context.Canceled},
		"between methods": {-1, 5, false, 1, second, context.Canceled}, "emit": {-1, -1, true, 1, "test accuracy", full},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		rows, told, doing := 0, 0, ""
		look := func() {
			if rows == tc.emit || told == tc.tell {
				cancel()
			}
		}
		look()
		err := small(90, 20, 3).Run(ctx, func(TableRow) error {
			if rows++; tc.fails {
				return full
			}
			look()
			return nil
		}, func(_ float64, what string) { told, doing = told+1, what; look() })
		if !errors.Is(err, tc.want) || rows != tc.rows || doing != tc.doing {
			t.Errorf("%s: %d rows, ends in %q with %v; want %d, %q and %v", name, rows, doing, err, tc.rows, tc.doing, tc.want)
		}
		cancel()
	}
}

// TestRefusedForMemory starts a run for which there is no room: it emits nothing, and the error says
// how much room it needs.
func TestRefusedForMemory(t *testing.T) {
	e := small(90, 20, 2)
	e.Variants = Variants(blsupdate.Gram, blsupdate.Improved)
	const k, c = 60, 10
	need := int64(4*k*(k+1)+8*k*c) + 8*130*(k+c) + 8*k*c + 8*20*k
	undo := memory.Limit(need - 1)
	defer undo()
	err := e.Run(context.Background(), func(TableRow) error { t.Error("a row"); return nil }, nil)
	var short *blsupdate.MemoryError
	if !errors.As(err, &short) || short.Need != need || short.Op != "bench" || short.Do == "" {
		t.Errorf("%v; want %d bytes", err, need)
	}
}
