package workers

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// newPool returns a pool of at most the given number of threads, for up to 64 CPUs, that is never
// paused. It ends with the test.
func newPool(t testing.TB, threads int) *Pool {
	p := New(64, 0)
	p.SetThreads(threads)
	t.Cleanup(func() { p.SetThreads(1) })
	return p
}

// startTeam starts a team that belongs to no pool and ends with the test.
func startTeam(t testing.TB, size int) *Team {
	team := newTeam(New(64, 0), size)
	t.Cleanup(team.end)
	return team
}

// concurrently calls f for each of n callers, each in a goroutine of its own, and waits for all.
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

// checkWorkers checks that the team of p has want workers, and waits until that many run.
func checkWorkers(t *testing.T, p *Pool, want int) {
	t.Helper()
	got := 0
	if team := p.team.Load(); team != nil {
		got = team.size
	}
	if got != want {
		t.Errorf("%d workers, want %d", got, want)
	}
	testutil.WaitWorkers(t, want)
}

// TestSetThreads checks that the first call that is worth it starts as many workers as SetThreads and
// GOMAXPROCS allow, and that later calls keep them. They end when SetThreads or GOMAXPROCS allow fewer.
func TestSetThreads(t *testing.T) {
	testutil.Processors(t, 4)
	p := newPool(t, 1)
	call := func() {
		for range 3 { // the first short calls do not wake workers
			shareTasks(p, minAwake, 4, func(int) {})
		}
	}
	call()
	checkWorkers(t, p, 0)
	for _, test := range []struct{ threads, processors, workers int }{
		{5, 4, 3}, {0, 4, 3}, {2, 4, 1}, {0, 2, 1}, {3, 4, 2}, {0, 1, 0}, {3, 1, 0}, {1, 4, 0},
	} {
		runtime.GOMAXPROCS(test.processors)
		p.SetThreads(test.threads)
		if want := test.threads; want > 0 && p.Threads() != want || want == 0 && p.Threads() != test.processors {
			t.Errorf("Threads() = %d after SetThreads(%d)", p.Threads(), want)
		}
		call()
		checkWorkers(t, p, test.workers)
	}
	p.SetThreads(0)
	call()
	checkWorkers(t, p, 3)
	runtime.GOMAXPROCS(1)
	call()
	checkWorkers(t, p, 0)
	testutil.MustPanic(t, "blskernel: negative number of threads", func() { p.SetThreads(-1) })
}

// shareTasks runs tasks on the team, or on the caller's goroutine if Acquire returns nil.
func shareTasks(p *Pool, nanoseconds float64, tasks int, do func(i int)) {
	if team := p.Acquire(nanoseconds); team != nil {
		defer team.Release()
		team.Run(tasks, do)
		return
	}
	for i := range tasks {
		do(i)
	}
}

// TestEveryTask checks that every task of every call is done once, whether workers are awake, asleep or
// late, or the team is in use.
func TestEveryTask(t *testing.T) {
	testutil.Processors(t, 4)
	p := newPool(t, 3)
	concurrently(3, func(caller int) {
		for call := range 300 {
			done := make([]atomic.Int64, 1+(call+caller)%9)
			shareTasks(p, 1e9, len(done), func(i int) { done[i].Add(1) })
			for i := range done {
				if n := done[i].Load(); n != 1 {
					t.Errorf("task %d of %d was done %d times", i, len(done), n)
				}
			}
			if call%50 == 0 {
				time.Sleep(2 * pollTime) // the workers fall asleep
			}
		}
	})
}

// TestRows checks that each row is done once, for any number of rows, and a panic reaches the caller.
func TestRows(t *testing.T) {
	testutil.Processors(t, 4)
	p := newPool(t, 3)
	for _, rows := range []int{0, 1, 2, 3, 7, 23, 24, 25, 1000} {
		done := make([]atomic.Int64, rows)
		p.Rows(rows, 1e9, func(from, to int) {
			for i := from; i < to; i++ {
				done[i].Add(1)
			}
		})
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("row %d of %d was done %d times", i, rows, n)
			}
		}
	}
	testutil.MustPanic(t, "row 5", func() {
		p.Rows(100, 1e9, func(from, to int) {
			if from <= 5 && 5 < to {
				panic("row 5")
			}
		})
	})
}

// TestEnded checks that a call returns even if its workers never come, here because the team has ended.
// The caller then does all tasks.
func TestEnded(t *testing.T) {
	team := newTeam(New(64, 0), 2)
	team.end()
	var order []int
	team.Run(4, func(i int) { order = append(order, i) })
	if !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("tasks %v were done", order)
	}
}

// TestParts checks that a thread does its own part of the tasks first, and then the others.
func TestParts(t *testing.T) {
	var order []int
	g := &group{next: make([]counter, 2)}
	g.open(5, func(i int) { order = append(order, i) }, false)
	g.work(1, nil)
	if want := []int{2, 3, 4, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("tasks %v, want %v", order, want)
	}
}

// TestPanics checks that no task begins after a panic. A worker's panic reaches the caller, and the
// worker stays with the team: both meet in the next call.
func TestPanics(t *testing.T) {
	var begun []int
	g := &group{next: make([]counter, 1)}
	g.open(5, func(i int) {
		begun = append(begun, i)
		if i == 1 {
			panic("task 1")
		}
	}, false)
	for range 3 {
		g.work(0, nil)
	}
	if !slices.Equal(begun, []int{0, 1}) || g.failed != "task 1" {
		t.Errorf("tasks %v were begun, the failure is %v", begun, g.failed)
	}

	team := startTeam(t, 1)
	for i := range 40 {
		var fail any
		if i%2 == 0 {
			fail = "both"
		}
		var arrived atomic.Int64
		both := make(chan struct{})
		failed := testutil.PanicValue(func() {
			team.Run(2, func(int) {
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

// TestSetThreadsDuringCall checks that SetThreads waits only for tasks that workers have begun.
func TestSetThreadsDuringCall(t *testing.T) {
	testutil.Processors(t, 3)
	p := newPool(t, 0)
	shareTasks(p, 1e9, 1, func(int) {})
	team := p.team.Load()
	began, ended, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var done atomic.Int64
	go func() {
		defer close(finished)
		shareTasks(p, 1e9, 1000, func(i int) {
			switch {
			case i == 10:
				close(began)
			case i >= 900: // not for workers: they would wait for themselves
				<-ended
			case i >= 500:
				for !team.quit.Load() {
					runtime.Gosched()
				}
			}
			done.Add(1)
		})
	}()
	<-began
	p.SetThreads(1)
	close(ended)
	<-finished
	if n := done.Load(); n != 1000 {
		t.Errorf("%d of 1000 tasks were done", n)
	}
	checkWorkers(t, p, 0)
}

// TestWorkersSleep checks that workers sleep some time after the last call, so an idle process takes no
// CPU time. They see other goroutines that wait for a thread, but ask only now and then.
func TestWorkersSleep(t *testing.T) {
	team := startTeam(t, 2)
	for range 3 {
		team.Run(50, func(int) { time.Sleep(10 * time.Microsecond) })
		testutil.Eventually(t, "2 workers sleep", func() bool { return team.asleep.Load() == 2 })
	}
	testutil.Processors(t, 1)
	if w := (workerThread{asked: askInterval}); w.othersWait(2*askInterval-1) || w.runnable != nil {
		t.Error("a worker asks too soon")
	}
	if strings.Compare(runtime.Version(), "go1.26") < 0 {
		return
	}
	testutil.Eventually(t, "a goroutine waits", func() bool { // it may run before it is seen to wait
		go func() {}()
		return new(workerThread).othersWait(askInterval)
	})
}

// TestNestedCalls checks that calls within tasks stay on their thread, whatever SetThreads changes.
func TestNestedCalls(t *testing.T) {
	testutil.Processors(t, 2)
	p := newPool(t, 0)
	var done atomic.Int64
	var setters sync.WaitGroup
	for round := range 20 {
		shareTasks(p, 1e9, 40, func(i int) {
			if i == 5 {
				runtime.GOMAXPROCS(2 + round%3)
			}
			if i == 7 {
				setters.Add(1)
				go func() {
					defer setters.Done()
					p.SetThreads(round % 4)
				}()
			}
			shareTasks(p, 1e9, 2, func(int) { done.Add(1) })
		})
	}
	setters.Wait()
	if n := done.Load(); n != 20*40*2 {
		t.Errorf("%d tasks were done, want %d", n, 20*40*2)
	}
}

// BenchmarkForkJoin measures what sharing costs: one empty task per thread, with workers awake.
func BenchmarkForkJoin(b *testing.B) {
	team := startTeam(b, runtime.GOMAXPROCS(0)-1)
	for range b.N {
		team.Run(team.Threads(), func(int) {})
	}
}

// BenchmarkWake measures a call that finds its workers asleep.
func BenchmarkWake(b *testing.B) {
	team := startTeam(b, runtime.GOMAXPROCS(0)-1)
	for range b.N {
		b.StopTimer()
		for team.asleep.Load() < int64(team.size) {
			time.Sleep(pollTime)
		}
		b.StartTimer()
		team.Run(20, func(int) { compute(10 * time.Microsecond) })
	}
}

func compute(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}
