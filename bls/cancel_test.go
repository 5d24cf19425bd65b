package bls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/faults"
)

var allMethods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

// stoppedEverywhere calls f with contexts that are done after 0, 1, 2, ... looks, until it returns nil,
// and returns how many there were. Every error has to be that of the context, and check has to find
// nothing changed.
func stoppedEverywhere(t *testing.T, name string, f func(context.Context) error, check func()) int {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 5
	}
	for looks := 0; ; looks += step {
		err := f(faults.CanceledAfter(looks))
		if err == nil {
			return looks
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, stopped after %d looks: %v", name, looks, err)
		}
		check()
		if looks > 5000 {
			t.Fatalf("%s never comes to an end", name)
		}
	}
}

// A model that was stopped at any place is to the bit what it was.
func TestStopped(t *testing.T) {
	const l, d = 60, 6
	x := samples(61, l, d, d)
	first, next := rowsOf(x, 0, 40), rowsOf(x, 40, l)
	labels := cyclic(l, 3)
	y := targetsFor(x, 2)
	features := FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 2, EnhancementNodes: 5}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			c := &Classifier{Backend: bk, Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 1e-6}}
			r := &Regressor{Backend: bk, Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 1e-6}}
			unfitted := func() {
				if c.model != nil || r.model != nil {
					t.Fatalf("%v: a model that was stopped is there", method)
				}
			}
			// Groups, autoencoders, panels and the start of the updater are looked at.
			if n := stoppedEverywhere(t, "FitWeighted", func(ctx context.Context) error { return c.FitWeighted(ctx, first, labels[:40], nil) }, unfitted); n < 2*admmIterations {
				t.Errorf("%v: FitWeighted looks %d times", method, n)
			}
			c.model = nil
			if n := stoppedEverywhere(t, "PartialFitWeighted, first", func(ctx context.Context) error { return c.PartialFitWeighted(ctx, first, labels[:40], nil) }, unfitted); n < 2*admmIterations {
				t.Errorf("%v: PartialFitWeighted looks %d times", method, n)
			}
			must(t, r.Fit(first, rowsOf(y, 0, 40)))
			before, beforeR := encoded(t, c), encoded(t, r)
			same := func() {
				t.Helper()
				if !bytes.Equal(encoded(t, c), before) || !bytes.Equal(encoded(t, r), beforeR) {
					t.Fatalf("%v: a model that was stopped is another", method)
				}
			}
			// The second FitWeighted succeeds and starts the same model anew.
			stoppedEverywhere(t, "FitWeighted again", func(ctx context.Context) error { return c.FitWeighted(ctx, first, labels[:40], nil) }, same)
			for name, f := range map[string]func(context.Context) error{
				"PredictContext":          func(ctx context.Context) error { _, err := c.PredictContext(ctx, x); return err },
				"DecisionFunctionContext": func(ctx context.Context) error { _, err := c.DecisionFunctionContext(ctx, x); return err },
				"Regressor.Predict":       func(ctx context.Context) error { _, err := r.PredictContext(ctx, x); return err },
			} {
				if n := stoppedEverywhere(t, name, f, func() {}); n < 2 {
					t.Errorf("%v: %s looks %d times", method, name, n)
				}
			}
			before, beforeR = encoded(t, c), encoded(t, r)
			if n := stoppedEverywhere(t, "PartialFitWeighted", func(ctx context.Context) error { return c.PartialFitWeighted(ctx, next, labels[40:], nil) }, same); n < 3 {
				t.Errorf("%v: PartialFitWeighted looks %d times", method, n)
			}
			before = encoded(t, c)
			if n := stoppedEverywhere(t, "Regressor.PartialFitWeighted", func(ctx context.Context) error { return r.PartialFitWeighted(ctx, next, rowsOf(y, 40, l), nil) }, same); n < 3 {
				t.Errorf("%v: Regressor.PartialFitWeighted looks %d times", method, n)
			}
			if n := c.Updater().Samples(); n != l {
				t.Errorf("%v: %d samples", method, n)
			}
		}
	})
}

// The error wraps the cause that the context was given.
func TestStoppedByCause(t *testing.T) {
	x := samples(62, 40, 5, 5)
	y := targetsFor(x, 1)
	cause := errors.New("the lights went out")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	fitted := mustFit(t, x, FeatureOptions{})
	r := &Regressor{Update: blsupdate.Options{Lambda: 1}, Method: blsupdate.Gram}
	must(t, r.Fit(x, y))
	c := &Classifier{}
	for name, call := range map[string]func() error{
		"TransformContext":       func() error { _, err := fitted.TransformContext(ctx, x); return err },
		"Classifier.FitWeighted": func() error { return c.FitWeighted(ctx, x, make([]int, 40), nil) },
		"Regressor.FitWeighted":  func() error { return r.FitWeighted(ctx, x, y, nil) },
		"PartialFitWeighted":     func() error { return r.PartialFitWeighted(ctx, x, y, nil) },
		"PredictContext":         func() error { _, err := r.PredictContext(ctx, x); return err },
	} {
		if err := call(); !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// encoded returns what a model is encoded as.
func encoded(t *testing.T, m interface{ Encode(w io.Writer) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, m.Encode(&b))
	return b.Bytes()
}

// The scales of columns are stopped before each panel.
func TestStoppedElsewhere(t *testing.T) {
	x := samples(63, 3*4096+1, 2, 2) // panels of rows with few columns have 4096
	columns := func(ctx context.Context) error { _, _, err := columnScales(ctx, x); return err }
	if n := stoppedEverywhere(t, "columnScales", columns, func() {}); n < 4 {
		t.Errorf("columnScales looks %d times", n)
	}
}
