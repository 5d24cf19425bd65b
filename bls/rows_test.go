package bls

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

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

func TestNodesInWholeLines(t *testing.T) {
	for k, want := range map[int]int{1: 1, 511: 511, 512: 520, 520: 520, 521: 536, 5100: 5112, 5112: 5112} {
		a := newNodes(3, k)
		if r, c := a.Dims(); r != 3 || c != k || a.RawMatrix().Stride != want {
			t.Errorf("%d nodes: %d×%d, rows %d apart; want %d", k, r, c, a.RawMatrix().Stride, want)
		}
	}
}

// The second of two parts of the rows finds its fault long before the first does, and the first counts.
func TestFirstRow(t *testing.T) {
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(2)
	x := mat.NewDense(200000, 3, nil)
	x.Set(99999, 2, math.NaN())
	x.Set(100000, 0, math.NaN())
	var e *NotFiniteError
	if _, err := FitFeatures(x, FeatureOptions{}); !errors.As(err, &e) || e.Row != 99999 || e.Col != 2 {
		t.Errorf("with NaN at (99999,2) and (100000,0): %v", err)
	}
}
