package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/dataset"
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Incremental)
		want   string // in the message
		typed  any    // what errors.As has to find
	}{
		{"initial", func(e *Incremental) { e.Initial = 0 }, "Initial is 0", nil},
		{"updates", func(e *Incremental) { e.Updates = -1 }, "Updates is -1", nil},
		{"batch", func(e *Incremental) { e.Batch = 0 }, "Batch is 0", nil},
		{"variants", func(e *Incremental) { e.Variants = nil }, "Variants is empty", nil},
		{"no train", func(e *Incremental) { e.Train = nil }, "Train has no images", nil},
		{"empty test", func(e *Incremental) { e.Test = dataset.Digits(0, 1) }, "Test has no images", nil},
		{"unlabeled", func(e *Incremental) { e.Train.Labels = nil }, "Train has 150 images and 0 labels", nil},
		{"size", func(e *Incremental) { e.Test.Rows, e.Test.Cols = 14, 56 }, "28×28 and those of Test 14×56", nil},
		{"samples", func(e *Incremental) { e.Updates = 4 }, "synthetic digits has 150 samples and 90 + 4×20", nil},
		{"initial samples", func(e *Incremental) { e.Initial, e.Updates = 151, 0 }, "has 150 samples and 151", nil},
		{"overflow", func(e *Incremental) { e.Updates, e.Batch = math.MaxInt, math.MaxInt }, "has 150 samples", nil},
		{"rank", func(e *Incremental) { e.Initial = 59 }, "59 samples for 60 nodes", new(*blsupdate.RankError)},
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
	// With lambda = 0 the general formula makes up for a small start.
	e := small(30, 20, 3)
	e.Update.Lambda = 0
	if err := e.Validate(); err != nil {
		t.Errorf("30 samples for 60 nodes without a ridge: %v", err)
	}
}

// TestRunOptionErrors has options that the lower layers refuse.
func TestRunOptionErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*Incremental)
		want   string
	}{
		{func(e *Incremental) { e.Features.Groups = -1 }, "bls: Groups is -1"},
		{func(e *Incremental) { e.Update.Lambda = math.NaN() }, "blsupdate: Lambda is NaN"},
		{func(e *Incremental) { e.Variants = Variants(7) }, "blsupdate: Method is Method(7)"},
		{func(e *Incremental) { e.Train.Labels[95] = 10 }, "bls: label 10 of sample 5"},
	} {
		e := small(90, 20, 3)
		tc.change(e)
		err := e.Run(context.Background(), func(TableRow) error { return nil }, nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v; want %q in it", err, tc.want)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := small(90, 20, 3).Run(ctx, func(TableRow) error { t.Error("rows are emitted"); return nil },
			func(float64, float64, string) { t.Error("work is begun") })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v; want %v", err, context.Canceled)
		}
	})
	t.Run("between steps", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		steps := 0
		err := small(90, 20, 3).Run(ctx, func(TableRow) error {
			if steps++; steps == 2 {
				cancel()
			}
			return nil
		}, nil)
		if !errors.Is(err, context.Canceled) || steps != 2 {
			t.Errorf("%d steps, error %v; want 2 and %v", steps, err, context.Canceled)
		}
	})
	t.Run("between methods", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var doing string
		err := small(90, 20, 3).Run(ctx, func(TableRow) error { return nil }, func(_, _ float64, what string) {
			if doing = what; what == "improved, samples 91 to 110" { // of step 1, which begins with it
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || doing != "improved, samples 91 to 110" {
			t.Errorf("ends in %q with %v; want %v before original begins", doing, err, context.Canceled)
		}
	})
}

func TestEmitError(t *testing.T) {
	full := errors.New("disk full")
	steps := 0
	err := small(90, 20, 3).Run(context.Background(), func(TableRow) error { steps++; return full }, nil)
	if !errors.Is(err, full) || steps != 1 {
		t.Errorf("%d steps, error %v; want 1 and %v", steps, err, full)
	}
}
