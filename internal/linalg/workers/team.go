package workers

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"blskernel/internal/linalg/kernel/pause"
)

// A Team is a set of workers, goroutines that are each locked to a thread. A worker polls for the next
// group of tasks for a while, and then sleeps until it is woken.
type Team struct {
	pool    *Pool
	size    int           // number of workers
	epoch   atomic.Uint64 // odd while group is open; every call has its own odd number
	group   group
	joined  atomic.Int32 // workers doing tasks of the group, or about to see that it has ended
	waiting atomic.Bool  // whether the caller is waiting for the last of the joined workers
	asleep  atomic.Int64 // workers that sleep, or are about to
	alarm   atomic.Int32 // incremented to wake workers
	wake    chan struct{}
	quit    atomic.Bool
	gone    sync.WaitGroup
	threads affinity
}

// pollTime is how long a worker polls for the next group before it sleeps. It exceeds the parts of a
// factorization that one thread does alone: on a virtual machine waking a worker takes 120 µs.
const pollTime = time.Millisecond

// lightSleep is how long a worker first sleeps in the operating system, which wakes it twice as fast as
// Go's scheduler would. A longer sleep would hide a deadlock of the program from the scheduler.
const lightSleep = 50 * time.Millisecond

// askInterval is how often a worker asks whether other goroutines are waiting for a thread. Asking
// takes about 50 ns.
const askInterval = 20 * time.Microsecond

// patience is how long the caller waits, beyond the time of one of its own tasks, before it assumes
// that a worker was preempted.
const patience = 30 * time.Microsecond

func newTeam(p *Pool, size int) *Team {
	t := &Team{pool: p, size: size, wake: make(chan struct{}, size)}
	t.group.next = make([]counter, size+1)
	t.gone.Add(size)
	for i := range size {
		go t.worker(i + 1)
	}
	return t
}

// end stops the workers after their current tasks and waits for them; a worker must not call it. A call
// that has the team continues alone.
func (t *Team) end() {
	t.quit.Store(true)
	t.wakeUp(t.size)
	t.gone.Wait()
}

// wakeUp wakes at most n sleeping workers.
func (t *Team) wakeUp(n int) {
	t.alarm.Add(1)
	for range n - wakeSleepers(&t.alarm, n) {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// Threads returns the number of threads of a call: the workers and the caller.
func (t *Team) Threads() int { return t.size + 1 }

// Run calls do for the tasks 0 to tasks-1 on the workers and the caller, and waits. Each thread starts
// on its own part of the tasks, the same in every call, so that its cache stays warm. Then it takes
// tasks of slower threads and of workers that are late, for which Run does not wait. Tasks must write
// disjoint results and not call runtime.Goexit. After a panic no task starts, and Run panics with the
// same value.
func (t *Team) Run(tasks int, do func(i int)) {
	g, gain := &t.group, &t.pool.gain
	measured := gain.due()
	if measured {
		// threadTime measures the current thread, so stay on it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	t.threads.avoidCaller()
	began := t.pool.now()
	g.open(tasks, do, measured)
	t.epoch.Add(1)
	if asleep := t.asleep.Load(); asleep > 0 {
		t.wakeUp(min(int(asleep), tasks-1))
	}
	done := g.work(0, nil)
	t.epoch.Add(1)
	now := t.pool.now()
	t.await(now + patience + (now-began)/time.Duration(max(done, 1)))
	now = t.pool.now()
	gain.add(measured, time.Duration(g.ran.Load()), now-began, now)
	g.do = nil // do not keep the operands alive
	if failed := g.failed; failed != nil {
		g.failed = nil
		panic(failed)
	}
}

// await waits for the workers that have joined. No other worker takes tasks, since each adds itself to
// joined before it checks the epoch. From the time late on, working workers may use the caller's CPU.
func (t *Team) await(late time.Duration) {
	for spins := 1; t.joined.Load() > 0; spins++ {
		pause.Pause()
		if spins%64 != 0 || t.pool.now() < late {
			continue
		}
		if !lends {
			runtime.Gosched()
			continue
		}
		t.threads.takeCaller()
		t.waiting.Store(true)
		for n := t.joined.Load(); n > 0; n = t.joined.Load() {
			sleepWhile(&t.joined, n, time.Millisecond)
		}
		t.waiting.Store(false)
	}
}

// worker works on one group after another until the team ends. It never unlocks its thread, so the
// thread ends too: other goroutines must not inherit a thread that is bound to some CPUs.
func (t *Team) worker(own int) {
	runtime.LockOSThread()
	defer t.gone.Done()
	me := t.threads.add()
	defer t.threads.remove(me)
	var epoch uint64
	for {
		if epoch = t.next(epoch, me); epoch == 0 {
			return
		}
		t.joined.Add(1)
		if t.epoch.Load() == epoch {
			me.working.Store(true)
			t.group.work(own, &t.quit)
			me.working.Store(false)
		}
		if t.joined.Add(-1) == 0 && t.waiting.Load() {
			wakeSleepers(&t.joined, 1)
		}
	}
}

// next waits for the first group after epoch last and returns its epoch, or 0 if the team ends. It
// polls in steps that the garbage collector can interrupt. If other goroutines are waiting to run, next
// yields, because Go's scheduler would preempt it only after 10 ms.
func (t *Team) next(last uint64, me *workerThread) uint64 {
	began := t.pool.now()
	for spins := 0; ; spins++ {
		tired := false
		if spins%64 == 0 {
			now := t.pool.now()
			tired = now-began > pollTime
			if me.othersWait(now) {
				runtime.Gosched()
			}
		}
		if epoch := t.epoch.Load(); epoch%2 == 1 && epoch != last {
			return epoch
		}
		if t.quit.Load() {
			return 0
		}
		pause.Pause()
		if tired {
			t.sleep(last)
			began = t.pool.now()
		}
	}
}

// sleep waits for wakeUp. It returns at once if a group has opened since last, or if the team ends.
func (t *Team) sleep(last uint64) {
	// Check the epoch once more: only a group opened after this line is sure to wake this worker.
	t.asleep.Add(1)
	defer t.asleep.Add(-1)
	alarm := t.alarm.Load()
	if epoch := t.epoch.Load(); epoch%2 == 1 && epoch != last || t.quit.Load() {
		return
	}
	sleepWhile(&t.alarm, alarm, lightSleep)
	if t.alarm.Load() == alarm {
		<-t.wake
	}
}

type workerThread struct {
	id       int
	working  atomic.Bool // whether it is doing tasks of a group
	asked    time.Duration
	runnable []metrics.Sample
}

// othersWait reports whether a goroutine is waiting for a thread. It asks at most once per askInterval,
// and returns false in between. Before Go 1.26 it always returns false.
func (w *workerThread) othersWait(now time.Duration) bool {
	if now-w.asked < askInterval {
		return false
	}
	w.asked = now
	if w.runnable == nil {
		w.runnable = []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	}
	metrics.Read(w.runnable)
	waiting := w.runnable[0].Value
	return waiting.Kind() == metrics.KindUint64 && waiting.Uint64() > 0
}

// A counter has a cache line of its own.
type counter struct {
	atomic.Int64
	_ [56]byte
}

// A group holds the tasks of one call, cut into a part for each thread.
type group struct {
	do       func(i int)
	tasks    int
	next     []counter    // of each thread's part, the first task not yet taken
	measured bool         // whether to measure its CPU time
	ran      atomic.Int64 // its CPU time, in nanoseconds
	mu       sync.Mutex
	failed   any // the value of the first panic
}

// open makes the tasks 0 to tasks-1 of a group available.
func (g *group) open(tasks int, do func(i int), measured bool) {
	g.tasks, g.do, g.measured = tasks, do, measured
	for i := range g.next {
		g.next[i].Store(int64(g.part(i)))
	}
	g.ran.Store(0)
}

// work does tasks, first those of part own, until none is left or quit is set, and returns the number
// done. quit may be nil.
func (g *group) work(own int, quit *atomic.Bool) (done int) {
	var before time.Duration
	if g.measured {
		before = threadTime()
	}
	defer func() {
		if r := recover(); r != nil {
			g.fail(r)
		}
		if g.measured {
			g.ran.Add(int64(threadTime() - before))
		}
	}()
	for i := range g.next {
		part := (own + i) % len(g.next)
		end := int64(g.part(part + 1))
		for quit == nil || !quit.Load() {
			task := g.next[part].Add(1) - 1
			if task >= end {
				break
			}
			g.do(int(task))
			done++
		}
	}
	return done
}

// part returns the first task of part i.
func (g *group) part(i int) int { return fraction(g.tasks, i, len(g.next)) }

// fail records a panic and cancels the remaining tasks.
func (g *group) fail(r any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = r
	}
	for i := range g.next {
		g.next[i].Store(int64(g.tasks))
	}
}
