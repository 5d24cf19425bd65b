package bls

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/memory"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

func TestOptionErrors(t *testing.T) {
	x := samples(1, 10, 4, 4)
	for _, test := range []struct {
		opt  FeatureOptions
		want string
	}{
		{FeatureOptions{Groups: -1}, "Groups"},
		{FeatureOptions{GroupNodes: -1}, "GroupNodes"},
		{FeatureOptions{Groups: 1 << 20, GroupNodes: 1 << 20}, "GroupNodes"},
		{FeatureOptions{EnhancementNodes: -2}, "EnhancementNodes"},
		{FeatureOptions{EnhancementNodes: math.MaxInt32}, "EnhancementNodes"},
		{FeatureOptions{Shrink: -0.8}, "Shrink"},
		{FeatureOptions{Shrink: math.NaN()}, "Shrink"},
		{FeatureOptions{Shrink: math.Inf(1)}, "Shrink"},
		{FeatureOptions{Shrink: 0.8, Unscaled: true}, "Shrink"},
		{FeatureOptions{Enhancement: 2}, "Enhancement"},
	} {
		f, err := FitFeatures(x, test.opt)
		var e *OptionError
		if !errors.As(err, &e) || e.Option != test.want || f != nil {
			t.Errorf("%+v: %v, %v; want an error of %s", test.opt, f, err, test.want)
		}
	}
}

func TestSampleErrors(t *testing.T) {
	good := samples(1, 3000, 9, 9)
	f := mustFit(t, good, FeatureOptions{Groups: 2, GroupNodes: 2, EnhancementNodes: 3})
	fit := func(x *mat.Dense) error { _, err := FitFeatures(x, FeatureOptions{}); return err }
	transform := func(x *mat.Dense) error { _, err := f.Transform(x); return err }
	for name, call := range map[string]func(*mat.Dense) error{"fit": fit, "transform": transform} {
		for _, x := range []*mat.Dense{nil, {}} {
			var e *ShapeError
			if err := call(x); !errors.As(err, &e) {
				t.Errorf("%s without samples: %v", name, err)
			}
		}
	}
	// The second of two parts of the rows finds its fault long before the first does.
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(2)
	x := mat.NewDense(200000, 3, nil)
	x.Set(99999, 2, math.NaN())
	x.Set(100000, 0, math.NaN())
	var early *NotFiniteError
	if err := fit(x); !errors.As(err, &early) || early.Row != 99999 || early.Col != 2 {
		t.Errorf("with NaN at (99999,2) and (100000,0): %v", err)
	}

	var e *ShapeError
	err := transform(samples(1, 5, 8, 8))
	if !errors.As(err, &e) || e.Rows != 5 || e.Cols != 8 || !strings.Contains(err.Error(), "5×8") || !strings.Contains(err.Error(), "9 columns") {
		t.Errorf("8 columns for 9: %v", err)
	}
}

// With one node of each kind the input of the enhancement node is w0 z + 0.1 w1 with z in [0,1], so
// some seeds make all of it negative.
func TestScaleError(t *testing.T) {
	x := samples(1, 10, 4, 4)
	failed := 0
	for seed := range uint64(40) {
		opt := FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Seed: seed}
		f, err := FitFeatures(x, opt)
		var e *ScaleError
		if errors.As(err, &e) {
			failed++
			if e.Max > 0 || f != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			opt.Unscaled = true
			mustFit(t, x, opt)
		} else if err != nil {
			t.Error(err)
		}
	}
	if failed == 0 || failed == 40 {
		t.Errorf("%d of 40 seeds failed", failed)
	}
}

func TestPanics(t *testing.T) {
}

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&OptionError{Op: "bls", Option: "Enhancement", Value: EnhancementWeights(7), Want: "Orthonormal or Uniform"}, "bls: Enhancement is EnhancementWeights(7); want Orthonormal or Uniform"},
		{&OptionError{Op: "bls", Option: "Enhancement", Value: Uniform, Want: Orthonormal.String()}, "bls: Enhancement is uniform; want orthonormal"},
		{&LabelError{Index: 3, Label: 10, Classes: 10}, "bls: label 10 of sample 3; want 0 to 9"},
		{&NotFiniteError{Op: "bls", Matrix: "X", Row: 2, Col: 5, Value: math.Inf(1)}, "bls: element (2,5) of X is +Inf; remove the row or fill in a value"},
	} {
		if test.err.Error() != test.want {
			t.Errorf("got %q, want %q", test.err, test.want)
		}
	}
}

// TestParallelRowsPanics lets each part panic, and all at once: parallelRows does, when all parts have
// ended, no goroutine is left, and it works afterwards.
func TestParallelRowsPanics(t *testing.T) {
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(4)
	const rows = 64
	before := testutil.Goroutines()
	for bad := -1; bad <= 4; bad++ {
		var ended atomic.Int64
		v := testutil.PanicValue(func() {
			parallelRows(rows, parallelGrain, func(from, to int) {
				defer ended.Add(int64(to - from))
				if bad == 4 || bad == from*4/rows {
					panic("broken")
				}
			})
		})
		if want := bad >= 0; want != (v == "broken") || ended.Load() != rows {
			t.Errorf("part %d panics: %v, %d rows had ended", bad, v, ended.Load())
		}
	}
	testutil.WaitGoroutines(t, before)
}

// TestFitRefusedForMemory has limits below what a fit and an update need: nothing is computed, and the
// model is what it was. At the limit the fit goes through.
func TestFitRefusedForMemory(t *testing.T) {
	const l, d = 300, 20
	x, labels := samples(97, l, d, d), cyclic(l, 2)
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.Improved} {
		c := &Classifier{Features: plain(FeatureOptions{Groups: 2, GroupNodes: 10, EnhancementNodes: 30}), Method: method, Update: blsupdate.Options{Lambda: 0.1}, Classes: 2}
		const k = 50
		need := mapsBytes(d, 20, 30) + 8*l*k + blsupdate.StateBytes(method, l, k, 3)
		undo := memory.Limit(need - 1)
		var e *MemoryError
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		err := c.Fit(x, labels)
		runtime.ReadMemStats(&end)
		undo()
		if !errors.As(err, &e) || e.Need != need || e.Op != "bls" || e.Do == "" || c.Updater() != nil {
			t.Errorf("%v: %v; want %d bytes", method, err, need)
		}
		// The targets of +1 and -1 come first.
		if n := end.TotalAlloc - start.TotalAlloc; n > 8*l*3+1<<16 {
			t.Errorf("%v: %d bytes were allocated", method, n)
		}
		undo = memory.Limit(need)
		err = c.Fit(x, labels)
		undo()
		if err != nil {
			t.Errorf("%v: %v", method, err)
			continue
		}
		before := encoded(t, c)
		undo = memory.Limit(8*l*k - 1)
		err = c.PartialFit(x, labels)
		undo()
		if !errors.As(err, &e) || e.Need != 8*l*k {
			t.Errorf("%v: %v", method, err)
		}
		if !bytes.Equal(encoded(t, c), before) {
			t.Errorf("%v: the model has changed", method)
		}
	}
	undo := memory.Limit(1000)
	defer undo()
	var e *MemoryError
	if _, err := FitFeatures(x, FeatureOptions{}); !errors.As(err, &e) || e.Need != mapsBytes(d, 100, 0)+8*l*100 {
		t.Error(err)
	}
}

// TestRefusedForMemory has no room for the targets of a fit and for the scores of a prediction.
func TestRefusedForMemory(t *testing.T) {
	const l, d, classes = 300, 20, 5
	x, labels := samples(98, l, d, d), cyclic(l, classes)
	c := &Classifier{Features: plain(FeatureOptions{Groups: 2, GroupNodes: 10}), Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.1}, Classes: classes}
	testutil.NoError(t, c.Fit(x, labels))
	for name, tc := range map[string]struct {
		need int64
		call func() error
	}{
		"OneHot":  {8 * l * classes, func() error { _, err := OneHot(labels, classes); return err }},
		"Fit":     {8 * l * (classes + 1), func() error { return c.Fit(x, labels) }},
		"Predict": {8 * l * classes, func() error { _, err := c.Predict(x); return err }},
	} {
		undo := memory.Limit(tc.need - 1)
		err := tc.call()
		undo()
		var e *MemoryError
		if !errors.As(err, &e) || e.Need != tc.need || e.Do == "" {
			t.Errorf("%s: %v; want %d bytes", name, err, tc.need)
		}
	}
}
