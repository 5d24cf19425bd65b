package gemm

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// SetThreads starts the goroutines that stand by, a call starts none, and the next SetThreads ends
// them.
func TestCrewStandsBy(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	setThreads(t, 1)
	before := runtime.NumGoroutine()
	SetThreads(1 << 20)
	if got := running.Load().size(); got != 3 {
		t.Errorf("%d workers with 4 processors, want 3", got)
	}
	// Goroutines of tests before this one may still be ending, so there can be fewer than these,
	// but not more.
	a, b, c := squares()
	for range 20 {
		multiplySquares(active, a, b, c)
		if got := runtime.NumGoroutine(); got > before+3 {
			t.Fatalf("%d goroutines after a call, %d before", got, before+3)
		}
	}
	SetThreads(0)
	testutil.WaitGoroutines(t, before)
}

// Every task of every job is done once, by workers that are awake, asleep, or late, and by calls that
// find the pool in use.
func TestCrewDoesEveryTask(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	setThreads(t, 3)
	var calls sync.WaitGroup
	for caller := range 3 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			for job := range 300 {
				done := make([]atomic.Int64, 1+(job+caller)%9)
				parallel(3, len(done), func(w *scratch, i int) {
					if w == nil {
						t.Error("no workspace")
					}
					done[i].Add(1)
				})
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Errorf("task %d of %d was done %d times", i, len(done), n)
					}
				}
				if job%50 == 0 {
					time.Sleep(2 * pollTime) // the workers fall asleep
				}
			}
		}()
	}
	calls.Wait()
}

// A call returns although its workers never come: here because the pool has gone. Its tasks are the
// caller's.
func TestCrewNobodyComes(t *testing.T) {
	c := newPool(2)
	c.end()
	var order []int
	x := &group{tasks: 4, task: func(_ *scratch, i int) { order = append(order, i) }}
	if !c.run(x) || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("tasks %v were done", order)
	}
}

// A panic of a worker reaches the caller, and the worker stays with the pool: it and the caller meet in
// the next job.
func TestCrewPanics(t *testing.T) {
	c := newPool(1)
	defer c.end()
	meet := func(fail any) *group {
		var arrived atomic.Int64
		both := make(chan struct{})
		x := &group{tasks: 2, task: func(*scratch, int) {
			if arrived.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
			case <-time.After(10 * time.Second):
				t.Error("the worker did not come")
			}
			if fail != nil {
				panic(fail)
			}
		}}
		if !c.run(x) {
			t.Error("the pool is in use")
		}
		return x
	}
	for range 20 {
		if x := meet("both"); x.failed != "both" {
			t.Errorf("the failure is %v", x.failed)
		}
		if x := meet(nil); x.failed != nil {
			t.Errorf("the failure is %v", x.failed)
		}
	}
}

// SetThreads follows GOMAXPROCS also where its own number is the same.
func TestCrewFollowsProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	setThreads(t, 3)
	if n := running.Load().size(); n != 0 {
		t.Errorf("%d workers with one processor", n)
	}
	runtime.GOMAXPROCS(4)
	SetThreads(3)
	if n := running.Load().size(); n != 2 {
		t.Errorf("%d workers with four processors, want 2", n)
	}
}
