package gemm

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// SetThreads starts the goroutines that stand by, a call starts none, and the next SetThreads ends them.
func TestCrewStandsBy(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	setThreads(t, 1)
	before := runtime.NumGoroutine()
	SetThreads(1 << 20)
	if got := runtime.NumGoroutine(); got != before+3 {
		t.Errorf("%d goroutines with 4 processors, want %d", got, before+3)
	}
	a, b, c := squares()
	for range 20 {
		multiplySquares(active, a, b, c)
		if got := runtime.NumGoroutine(); got != before+3 {
			t.Fatalf("%d goroutines after a call, %d before", got, before+3)
		}
	}
	SetThreads(0)
	settles(t, before)
}

// Every task of every job is done once, by members that are awake, asleep, or late, and by calls that find the crew
// in use.
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
					time.Sleep(2 * standby) // the members fall asleep
				}
			}
		}()
	}
	calls.Wait()
}

// A call returns although its members never come: here because the crew has gone. Its tasks are the caller's.
func TestCrewNobodyComes(t *testing.T) {
	c := newCrew(2)
	c.end()
	var order []int
	x := &team{tasks: 4, task: func(_ *scratch, i int) { order = append(order, i) }}
	if !c.run(x) || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("tasks %v were done", order)
	}
}

// A panic of a member reaches the caller, and the member stays with the crew.
func TestCrewPanics(t *testing.T) {
	setThreads(t, 2)
	before := runtime.NumGoroutine() // with the member
	for range 20 {
		var inMember atomic.Bool
		func() {
			defer func() {
				if r := recover(); inMember.Load() && r != "member" {
					t.Errorf("recovered %v", r)
				}
			}()
			var first atomic.Int64
			caller := make(chan struct{})
			parallel(2, 2, func(_ *scratch, i int) {
				if first.Add(1) == 1 { // whoever comes first waits for the other, if it comes
					select {
					case <-caller:
					case <-time.After(50 * time.Millisecond):
					}
					return
				}
				inMember.Store(true)
				close(caller)
				panic("member")
			})
		}()
	}
	settles(t, before)
}
