package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"blskernel/internal/testutil"
)

const muchWork = 1e12 // flops

// Hold starts the goroutines that stand by if none do, calls that hold at the same time share them, and
// they end with the last.
func TestHold(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	setThreads(t, 0)
	before := runtime.NumGoroutine()
	count := func(want int) {
		t.Helper()
		// Goroutines of tests before this one may still be ending.
		if workers, got := running.Load().size(), runtime.NumGoroutine(); workers != want || got > before+want {
			t.Errorf("%d workers and %d goroutines more, want %d", workers, got-before, want)
		}
	}
	first := active.Acquire(muchWork)
	count(2)
	second := active.Acquire(muchWork)
	count(2)
	first()
	count(2)
	a, b, c := squares()
	multiplySquares(active, a, b, c)
	count(2)
	second()
	testutil.WaitGoroutines(t, before)

	active.Acquire(1000)()
	release := active.Acquire(1000)
	count(0)
	release()

	// SetThreads has its own way, before and after.
	release = active.Acquire(muchWork)
	SetThreads(2)
	testutil.WaitGoroutines(t, before+1)
	release()
	count(1)
	release = active.Acquire(muchWork)
	count(1)
	release()
	count(1)
	SetThreads(0)
	testutil.WaitGoroutines(t, before)
	release = active.Acquire(muchWork)
	SetThreads(0)
	testutil.WaitGoroutines(t, before)
	release()
	testutil.WaitGoroutines(t, before)
	SetThreads(1)
	release = active.Acquire(muchWork)
	count(0)
	release()
}

// Callers that hold, multiply and let go at the same time, while the number of threads changes.
func TestHoldConcurrently(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	setThreads(t, 0)
	before := runtime.NumGoroutine()
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Add(1)
		go func() {
			defer callers.Done()
			a, b, c := squares()
			for i := range 20 {
				release := active.Acquire(muchWork)
				multiplySquares(active, a, b, c)
				if caller == 0 && i%5 == 0 {
					SetThreads(i / 5 % 3)
				}
				release()
			}
		}()
	}
	callers.Wait()
	SetThreads(0)
	testutil.WaitGoroutines(t, before)
	if acquired.calls != 0 || acquired.pool != nil {
		t.Errorf("%d calls hold, and a pool is %v", acquired.calls, acquired.pool)
	}
}

// Who lets go waits for the tasks that workers are at, not for all of a call that has the pool.
func TestHoldOfSomebodyElse(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	setThreads(t, 0)
	before := runtime.NumGoroutine()
	release := active.Acquire(muchWork)
	pool := running.Load()
	began, released, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var done atomic.Int64
	go func() {
		defer close(finished)
		parallel(3, 1000, func(_ *scratch, i int) {
			switch {
			case i == 10:
				close(began)
			case i >= 900: // not for workers: they would wait for themselves
				<-released
			case i >= 500:
				for !pool.quit.Load() {
					runtime.Gosched()
				}
			}
			done.Add(1)
		})
	}()
	<-began
	release()
	close(released)
	<-finished
	if n := done.Load(); n != 1000 {
		t.Errorf("%d of 1000 tasks were done", n)
	}
	testutil.WaitGoroutines(t, before)
}
