package bls

import (
	"bytes"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/memory"
	"blskernel/internal/testutil"
)

// TestParallelRowsPanics lets each part panic, and all at once: parallelRows does, when all parts have
// ended, no goroutine is left, and it works afterwards.
func TestParallelRowsPanics(t *testing.T) {
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(4)
	const rows = 64
	before := runtime.NumGoroutine()
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
		c := &Classifier{Features: FeatureOptions{Groups: 2, GroupNodes: 10, EnhancementNodes: 30}, Method: method, Update: blsupdate.Options{Lambda: 0.1}, Classes: 2}
		const k = 50
		need := mapsBytes(d, 20, 30) + 8*l*k + blsupdate.StateBytes(method, l, k, 2)
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
		if n := end.TotalAlloc - start.TotalAlloc; n > 8*l*2+1<<16 {
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
