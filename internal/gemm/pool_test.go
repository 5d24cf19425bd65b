package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
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

// processors sets GOMAXPROCS, and the number of threads until the test ends.
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

// checkWorkers compares the number of workers, and waits until as many run.
func checkWorkers(t *testing.T, want int) {
	t.Helper()
	got := 0
	if p := current.Load(); p != nil {
		got = p.size
	}
	if got != want {
		t.Errorf("%d workers, want %d", got, want)
	}
	testutil.WaitWorkers(t, want)
}

// The first product that is worth it starts the pool, as large as SetThreads and GOMAXPROCS allow, and
// later ones keep it. It ends when SetThreads or GOMAXPROCS make it smaller.
func TestSetThreads(t *testing.T) {
	processors(t, 4, 1)
	a, b, c := squares()
	multiply := func() {
		for range 3 { // the first of short calls do not wake a pool
			multiplySquares(active, a, b, c)
		}
	}
	multiply()
	checkWorkers(t, 0)
	for _, test := range []struct{ threads, processors, workers int }{
		{5, 4, 3}, {0, 4, 3}, {2, 4, 1}, {0, 2, 1}, {3, 4, 2}, {0, 1, 0}, {3, 1, 0}, {1, 4, 0},
	} {
		runtime.GOMAXPROCS(test.processors)
		SetThreads(test.threads)
		if want := test.threads; want > 0 && Threads() != want || want == 0 && Threads() != test.processors {
			t.Errorf("Threads() = %d after SetThreads(%d)", Threads(), want)
		}
		multiply()
		checkWorkers(t, test.workers)
	}
	SetThreads(0)
	multiply()
	checkWorkers(t, 3)
	runtime.GOMAXPROCS(1)
	multiply()
	checkWorkers(t, 0)
	testutil.MustPanic(t, "gemm: negative number of threads", func() { SetThreads(-1) })
}

// shareTasks runs a task on the pool, or on the caller's goroutine where another call has it.
func shareTasks(workers, tasks int, task func(w *scratch, i int)) {
	if p := hire(1e9); p != nil {
		defer p.release()
		p.run(workers, tasks, task)
		return
	}
	for i := range tasks {
		task(&scratch{}, i)
	}
}

// Every task of every job is done once, by workers that are awake, asleep, or late, and by calls that
// find the pool in use.
func TestPoolDoesEveryTask(t *testing.T) {
	processors(t, 4, 3)
	concurrently(3, func(caller int) {
		for job := range 300 {
			done := make([]atomic.Int64, 1+(job+caller)%9)
			shareTasks(1+job%2, len(done), func(w *scratch, i int) {
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
	p.run(2, 4, func(_ *scratch, i int) { order = append(order, i) })
	if !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("tasks %v were done", order)
	}
}

// No more workers join a group than it has seats.
func TestPoolSeats(t *testing.T) {
	p := newPool(3)
	defer p.end()
	for job := range 200 {
		var working, most atomic.Int64
		seats := job % 3
		p.run(seats, 20, func(*scratch, int) {
			n := working.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(10 * time.Microsecond)
			working.Add(-1)
		})
		if n := most.Load(); n > int64(seats)+1 {
			t.Errorf("%d goroutines had tasks of a group with %d seats", n, seats)
		}
	}
}

// After a panic no task begins. A panic of a worker reaches the caller, and the worker stays with the
// pool: it and the caller meet in the next job.
func TestPoolPanics(t *testing.T) {
	var begun []int
	g := &group{}
	g.begin(0, 5, func(_ *scratch, i int) {
		begun = append(begun, i)
		if i == 1 {
			panic("task 1")
		}
	})
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
		failed := testutil.PanicValue(func() {
			p.run(1, 2, func(*scratch, int) {
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
			})
		})
		if failed != fail {
			t.Errorf("the failure is %v, want %v", failed, fail)
		}
	}
}

// SetThreads waits for the current tasks of workers, not for all of a call that has the pool.
func TestSetThreadsDuringCall(t *testing.T) {
	processors(t, 3, 0)
	shareTasks(2, 1, func(*scratch, int) {})
	pool := current.Load()
	began, ended, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var done atomic.Int64
	go func() {
		defer close(finished)
		shareTasks(2, 1000, func(_ *scratch, i int) {
			switch {
			case i == 10:
				close(began)
			case i >= 900: // not for workers: they would wait for themselves
				<-ended
			case i >= 500:
				for !pool.quit.Load() {
					runtime.Gosched()
				}
			}
			done.Add(1)
		})
	}()
	<-began
	SetThreads(1)
	close(ended)
	<-finished
	if n := done.Load(); n != 1000 {
		t.Errorf("%d of 1000 tasks were done", n)
	}
	checkWorkers(t, 0)
}

// Workers sleep some time after the last product, so an idle process takes no CPU time. They see other
// goroutines that wait for a thread, and ask for them now and then only.
func TestWorkersSleep(t *testing.T) {
	p := newPool(2)
	defer p.end()
	for range 3 {
		p.run(2, 50, func(*scratch, int) { time.Sleep(10 * time.Microsecond) })
		for began := time.Now(); p.asleep.Load() < 2; time.Sleep(time.Millisecond) {
			if time.Since(began) > 10*time.Second {
				t.Fatalf("%d of 2 workers sleep", p.asleep.Load())
			}
		}
	}
	saved := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(saved)
	if w := (workerThread{asked: askInterval}); w.othersWait(2*askInterval-1) || w.runnable != nil {
		t.Error("a worker asks too soon")
	}
	if strings.Compare(runtime.Version(), "go1.26") < 0 {
		return
	}
	for began := time.Now(); ; { // a goroutine may run before it is seen to wait
		go func() {}()
		if new(workerThread).othersWait(askInterval) {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal("no goroutine waits")
		}
	}
}

// A call within a task stays on its thread, also where SetThreads or GOMAXPROCS have changed meanwhile.
func TestNestedCalls(t *testing.T) {
	processors(t, 2, 0)
	var done atomic.Int64
	var setters sync.WaitGroup
	for round := range 20 {
		shareTasks(3, 40, func(_ *scratch, i int) {
			if i == 5 {
				runtime.GOMAXPROCS(2 + round%3)
			}
			if i == 7 {
				setters.Add(1)
				go func() {
					defer setters.Done()
					SetThreads(round % 4)
				}()
			}
			shareTasks(3, 2, func(*scratch, int) { done.Add(1) })
		})
	}
	setters.Wait()
	if n := done.Load(); n != 20*40*2 {
		t.Errorf("%d tasks were done, want %d", n, 20*40*2)
	}
}

// BenchmarkForkJoin measures what sharing costs: empty tasks, one for each thread, with workers that
// are awake.
func BenchmarkForkJoin(b *testing.B) {
	workers := runtime.GOMAXPROCS(0) - 1
	p := newPool(workers)
	defer p.end()
	for range b.N {
		p.run(workers, workers+1, func(*scratch, int) {})
	}
}

// BenchmarkWake measures a product that finds its workers asleep.
func BenchmarkWake(b *testing.B) {
	workers := runtime.GOMAXPROCS(0) - 1
	p := newPool(workers)
	defer p.end()
	for range b.N {
		b.StopTimer()
		for p.asleep.Load() < int64(workers) {
			time.Sleep(pollTime)
		}
		b.StartTimer()
		p.run(workers, 20, func(*scratch, int) {
			for began := time.Now(); time.Since(began) < 10*time.Microsecond; {
			}
		})
	}
}

// BenchmarkPauses measures the pauses of the garbage collector beside products, with the pool and
// without.
func BenchmarkPauses(b *testing.B) {
	for _, threads := range []int{0, 1} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			setThreads(b, threads)
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				x, y, z := squares()
				for {
					select {
					case <-stop:
						return
					default:
						multiplySquares(active, x, y, z)
					}
				}
			}()
			stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
			for range b.N {
				runtime.GC()
			}
			debug.ReadGCStats(&stats)
			close(stop)
			<-stopped
			b.ReportMetric(float64(stats.PauseQuantiles[2].Nanoseconds()), "median-ns")
			b.ReportMetric(float64(stats.PauseQuantiles[4].Nanoseconds()), "longest-ns")
		})
	}
}
