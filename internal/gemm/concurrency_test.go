package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// A job is a call that is large enough for several goroutines.
type job struct {
	name           string
	run            func()
	result, before []float64 // the storage of the result, and what was in it
}

// again runs the call on what its result was at first.
func (j *job) again() []float64 {
	copy(j.result, j.before)
	j.run()
	return j.result
}

// jobs are calls of every routine with every option, on operands of their own.
func jobs(t *testing.T) []*job {
	t.Helper()
	const m, n, k = 197, 211, 83
	rnd := rand.New(rand.NewPCG(81, 1))
	var all []*job
	for _, r := range routines() {
		p := r.build(rnd, m, n, k, 0.7, -1.3)
		p.fill(rnd)
		if float64(2*p.m*p.n*p.k) < minParallel*active.kernel.Speed {
			t.Fatalf("%s: too small for several goroutines", r.name)
		}
		all = append(all, &job{r.name, p.call, p.c.all, slices.Clone(p.c.all)})
	}
	return append(all, triangularJobs(t, active)...)
}

// triangularJobs are the calls of Dtrsm and Dtrmm, on an engine.
func triangularJobs(t *testing.T, e *Engine) []*job {
	t.Helper()
	rnd := rand.New(rand.NewPCG(82, 1))
	var all []*job
	for _, side := range sides {
		for _, ul := range triangles {
			for _, tA := range transposes {
				for name, call := range map[string]func(blas.Side, blas.Uplo, blas.Transpose, blas.Diag, int, int, float64, []float64, int, []float64, int){
					"Dtrsm": e.Dtrsm, "Dtrmm": e.Dtrmm,
				} {
					p := newTriangular(rnd, side, ul, tA, blas.NonUnit, 230, 210, 0.7)
					if float64(p.order()*p.m*p.n) < minParallel*active.kernel.Speed {
						t.Fatalf("%s %v: too small for several goroutines", name, p)
					}
					all = append(all, &job{
						fmt.Sprintf("%s %v", name, p),
						func() { call(side, ul, tA, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld) },
						p.b.all, slices.Clone(p.b.all),
					})
				}
			}
		}
	}
	return all
}

// Many callers run all routines at once, while others change the number of threads and of processors:
// every result is, bit for bit, that of a call alone in one goroutine, and no goroutine is left.
func TestConcurrentRoutines(t *testing.T) {
	all := jobs(t)
	setThreads(t, 1)
	var want [][]float64
	for _, j := range all {
		want = append(want, slices.Clone(j.again()))
	}
	before := runtime.NumGoroutine()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	var done atomic.Bool
	var changing, calling sync.WaitGroup
	changing.Add(1)
	go func() {
		defer changing.Done()
		for n := 0; !done.Load(); n++ {
			SetThreads(n % 5)
			if n%16 == 0 { // it stops the world
				runtime.GOMAXPROCS(1 + n/16%3)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	const callers = 6
	for c := range callers {
		calling.Add(1)
		go func() {
			defer calling.Done()
			for i := c; i < len(all); i += callers {
				for range 3 {
					if !identical(all[i].again(), want[i]) {
						t.Errorf("%s: other bits than alone", all[i].name)
					}
				}
			}
		}()
	}
	calling.Wait()
	done.Store(true)
	changing.Wait()
	SetThreads(1)
	testutil.WaitGoroutines(t, before)
}

// The result of every routine is the same, bit for bit, for any number of threads, and no goroutine
// that was started for a call outlives it.
func TestThreadsReproducible(t *testing.T) {
	setThreads(t, 1)
	for _, j := range jobs(t) {
		before := runtime.NumGoroutine()
		var want []float64
		for _, threads := range []int{1, 2, 3, 7, 0} { // 0 starts goroutines for the call
			SetThreads(threads)
			got := j.again()
			if want == nil {
				want = slices.Clone(got)
			}
			if !identical(got, want) {
				t.Errorf("%s, %d threads: other bits than with one", j.name, threads)
			}
		}
		SetThreads(1)
		testutil.WaitGoroutines(t, before)
	}
}

// A panic in a kernel that only triangular routines call reaches the caller as well, whichever
// goroutine it happens in, and the next call is right.
func TestTriangularPanicReachesCaller(t *testing.T) {
	broken := *active
	var calls, last atomic.Int64
	panics := func(int, int, *float64, int, int, *float64, *float64, int) {
		if calls.Add(1) >= last.Load() {
			panic("broken kernel")
		}
	}
	broken.kernel.Solve, broken.kernel.Multiply = panics, panics
	good := triangularJobs(t, active)
	setThreads(t, 1)
	for i, j := range triangularJobs(t, &broken) {
		before := runtime.NumGoroutine()
		for _, threads := range []int{1, 3, 0} {
			SetThreads(threads)
			want := slices.Clone(good[i].again())
			for _, at := range []int64{1, 9} {
				calls.Store(0)
				last.Store(at)
				func() {
					defer func() {
						if r := recover(); r != "broken kernel" {
							t.Errorf("%s, %d threads: recovered %v", j.name, threads, r)
						}
					}()
					j.again()
				}()
			}
			if !identical(good[i].again(), want) {
				t.Errorf("%s, %d threads: other bits after a panic", j.name, threads)
			}
		}
		SetThreads(1)
		testutil.WaitGoroutines(t, before)
	}
}

// The ranges of Rows are all rows, each once, whatever the number of rows, their work and the number of
// threads.
func TestRows(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 7} {
		setThreads(t, threads)
		for _, rows := range []int{0, 1, 2, 5, 17, 1000} {
			for _, flops := range []int{1, minParallel} {
				done := make([]atomic.Int64, rows)
				Rows(threads, rows, flops, func(from, to int) {
					for i := from; i < to; i++ {
						done[i].Add(1)
					}
				})
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Fatalf("%d threads, %d rows of %d flops: row %d is in %d ranges", threads, rows, flops, i, n)
					}
				}
			}
		}
	}
}

// After a panic nobody takes another task.
func TestTeamStops(t *testing.T) {
	var begun []int
	x := &group{tasks: 5, task: func(_ *scratch, i int) {
		begun = append(begun, i)
		if i == 1 {
			panic("task 1")
		}
	}}
	for range 3 {
		x.work(nil)
	}
	if !slices.Equal(begun, []int{0, 1}) || x.failed != "task 1" {
		t.Errorf("tasks %v were begun, the failure is %v", begun, x.failed)
	}
}

// With several goroutines a call allocates what these share, once, and no more: a copy of the product,
// the function that does a task, the group, the times of the plan, and where they do not stand by, for
// each but the caller's what starts it and what is waited on. Dsyr2k is two products.
func TestParallelAllocs(t *testing.T) {
	const shared = 4
	const runs = 10
	for _, threads := range []int{2, 4} {
		setThreads(t, threads)
		for _, j := range jobs(t) {
			most := shared + threads - 1
			if strings.HasPrefix(j.name, "Dsyr2k") {
				most *= 2
			}
			j.again()
			if got := testing.AllocsPerRun(runs, j.run); !(got <= float64(most)) && !raceEnabled {
				t.Errorf("%s, %d threads: %v allocations, want at most %d", j.name, threads, got, most)
			}
		}
	}
}
