package gemm

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// square is the order of products in these tests, enough for threads and for several tasks each.
const square = 160

func squares() (a, b, c []float64) {
	rnd := rand.New(rand.NewPCG(9, 1))
	return values(rnd, square*square), values(rnd, square*square), make([]float64, square*square)
}

func multiplySquares(e *Engine, a, b, c []float64) {
	e.Dgemm(blas.NoTrans, blas.NoTrans, square, square, square, 1, a, square, b, square, 0, c, square)
}

// processors sets GOMAXPROCS and the number of threads until the test ends.
func processors(t *testing.T, n, threads int) {
	saved := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(saved) })
	setThreads(t, threads)
}

// concurrently calls f for each of n callers in a goroutine of its own, and waits.
func concurrently(n int, f func(caller int)) {
	var calls sync.WaitGroup
	calls.Add(n)
	for caller := range n {
		go func() {
			defer calls.Done()
			f(caller)
		}()
	}
	calls.Wait()
}

// checkWorkers compares the number of workers, and looks for more goroutines than these. There can be
// fewer, if goroutines of earlier tests end.
func checkWorkers(t *testing.T, before, want int) {
	t.Helper()
	if workers, got := running.Load().size(), runtime.NumGoroutine(); workers != want || got > before+want {
		t.Errorf("%d workers and %d goroutines more, want %d", workers, got-before, want)
	}
}

// SetThreads starts the pool, as large as GOMAXPROCS allows, a call starts no goroutine, and the next
// SetThreads ends the pool.
func TestSetThreads(t *testing.T) {
	processors(t, 4, 1)
	before := runtime.NumGoroutine()
	SetThreads(5)
	if got := Threads(); got != 5 {
		t.Errorf("Threads() = %d after SetThreads(5)", got)
	}
	a, b, c := squares()
	for range 20 {
		multiplySquares(active, a, b, c)
		checkWorkers(t, before, 3)
	}
	runtime.GOMAXPROCS(1)
	SetThreads(5) // the same number, but fewer processors
	testutil.WaitGoroutines(t, before)
	checkWorkers(t, before, 0)
	SetThreads(0)
	if got := Threads(); got != 1 {
		t.Errorf("Threads() = %d after SetThreads(0) with one processor", got)
	}
	testutil.MustPanic(t, "gemm: negative number of threads", func() { SetThreads(-1) })
}

// Every task of every job is done once, by workers that are awake, asleep, or late, and by calls that
// find the pool in use.
func TestPoolDoesEveryTask(t *testing.T) {
	processors(t, 4, 3)
	concurrently(3, func(caller int) {
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
	})
}

// A call returns although its workers never come: here because the pool has ended. Its tasks are the
// caller's.
func TestPoolEnded(t *testing.T) {
	p := newPool(2)
	p.end()
	var order []int
	g := &group{tasks: 4, task: func(_ *scratch, i int) { order = append(order, i) }}
	if !p.run(g) || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("tasks %v were done", order)
	}
}

// After a panic no task begins. A panic of a worker reaches the caller, and the worker stays with the
// pool: it and the caller meet in the next job.
func TestPoolPanics(t *testing.T) {
	var begun []int
	g := &group{tasks: 5, task: func(_ *scratch, i int) {
		begun = append(begun, i)
		if i == 1 {
			panic("task 1")
		}
	}}
	for range 3 {
		g.work(nil)
	}
	if !slices.Equal(begun, []int{0, 1}) || g.failed != "task 1" {
		t.Errorf("tasks %v were begun, the failure is %v", begun, g.failed)
	}

	p := newPool(1)
	defer p.end()
	for i := range 40 {
		var fail any
		if i%2 == 0 {
			fail = "both"
		}
		var arrived atomic.Int64
		both := make(chan struct{})
		g := &group{tasks: 2, task: func(*scratch, int) {
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
		if !p.run(g) || g.failed != fail {
			t.Errorf("the failure is %v, want %v", g.failed, fail)
		}
	}
}

const muchWork = 1e12 // flops

// Acquire starts the pool if none runs, callers at the same time share it, and it ends with the last.
// SetThreads has its own way, before and after.
func TestAcquire(t *testing.T) {
	processors(t, 3, 0)
	before := runtime.NumGoroutine()
	count := func(want int) {
		t.Helper()
		testutil.WaitGoroutines(t, before+want)
		checkWorkers(t, before, want)
	}
	first := active.Acquire(muchWork)
	second := active.Acquire(muchWork)
	count(2)
	first()
	a, b, c := squares()
	multiplySquares(active, a, b, c)
	count(2)
	second()
	count(0)

	active.Acquire(1000)()
	release := active.Acquire(1000)
	count(0)
	release()

	for _, test := range []struct{ threads, acquired, after, released int }{
		{0, 2, 2, 1}, // n threads are n-1 workers and the caller
		{2, 1, 2, 1},
		{0, 2, 0, 0},
		{1, 0, 1, 0},
	} {
		SetThreads(test.threads)
		release := active.Acquire(muchWork)
		count(test.acquired)
		SetThreads(test.after)
		count(test.released)
		release()
		count(test.released)
	}
}

// Callers acquire, multiply and release at the same time, while the number of threads changes.
func TestAcquireConcurrently(t *testing.T) {
	processors(t, 3, 0)
	before := runtime.NumGoroutine()
	concurrently(4, func(caller int) {
		a, b, c := squares()
		for i := range 20 {
			release := active.Acquire(muchWork)
			multiplySquares(active, a, b, c)
			if caller == 0 && i%5 == 0 {
				SetThreads(i / 5 % 3)
			}
			release()
		}
	})
	SetThreads(0)
	testutil.WaitGoroutines(t, before)
	if acquired.calls != 0 || acquired.pool != nil {
		t.Errorf("%d calls hold the pool %v", acquired.calls, acquired.pool)
	}
}

// A release waits for the current tasks of workers, not for all of a call that has the pool.
func TestReleaseDuringCall(t *testing.T) {
	processors(t, 3, 0)
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
