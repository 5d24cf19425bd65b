package gemm

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"blskernel/internal/kernel"
)

// A pool is a set of workers: goroutines on threads of their own that wait for groups of tasks. The
// first product that is worth it starts one (hire). A worker polls for the next group for a while, then
// sleeps until it is woken.
//
// One call at a time has the pool; other calls stay on the caller's goroutine. A call does not wait for
// workers that have not joined: it runs their share of the tasks itself.
type pool struct {
	size    int           // number of workers
	turn    atomic.Uint64 // odd while group is open; every group has its own
	group   group
	joined  atomic.Int32 // workers that are at the group, or find out that it has ended
	waiting atomic.Bool  // the caller waits for the last of them in await
	asleep  atomic.Int64 // workers that sleep, or are about to
	alarm   atomic.Int32 // rises when workers are to wake up
	wake    chan struct{}
	quit    atomic.Bool
	gone    sync.WaitGroup
	threads threadSet
}

// poolInUse is held by the call that has the pool, or one that SetThreads has ended meanwhile.
var poolInUse sync.Mutex

// pollTime is how long a worker polls for the next group before it sleeps.
const pollTime = 200 * time.Microsecond

// lightSleep is how long a worker then sleeps in the operating system, which wakes it in half the time
// that Go's scheduler takes. Longer would hide a deadlock of the program from the scheduler.
const lightSleep = 50 * time.Millisecond

// askInterval is how often a worker asks whether other goroutines wait for a thread, which takes some
// 50 ns.
const askInterval = 20 * time.Microsecond

// newPool starts a pool.
func newPool(size int) *pool {
	p := &pool{size: size, wake: make(chan struct{}, size)}
	p.gone.Add(size)
	for range size {
		go p.worker()
	}
	return p
}

// end stops the workers after their current tasks and waits. A call that has the pool goes on alone.
func (p *pool) end() {
	p.quit.Store(true)
	p.wakeUp(p.size)
	p.gone.Wait()
}

// wakeUp wakes at most n sleeping workers.
func (p *pool) wakeUp(n int) {
	p.alarm.Add(1)
	wakeSleepers(&p.alarm, n)
	for range n {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}

// run shares tasks 0 to tasks-1 with at most the given number of workers, and waits. The caller holds
// poolInUse. A panic ends the group and is raised again here.
func (p *pool) run(workers, tasks int, task func(w *scratch, i int)) {
	if sharing.begin() {
		// The times of threads are this thread's.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	p.threads.avoidCaller()
	began, ran := sinceStart(), sharing.threadTime()
	g := &p.group
	g.begin(workers, tasks, task)
	p.turn.Add(1)
	if asleep := p.asleep.Load(); asleep > 0 {
		p.wakeUp(min(int(asleep), workers))
	}
	done := g.work(nil)
	p.turn.Add(1)
	now := sinceStart()
	ran = sharing.threadTime() - ran
	p.await(now + patience + (now-began)/time.Duration(max(done, 1)))
	sharing.add(ran, sinceStart()-began)
	g.task = nil // the pool must not keep the operands
	if failed := g.failed; failed != nil {
		g.failed = nil
		panic(failed)
	}
}

// patience is how much longer than one of its own tasks the caller waits for a worker's before it takes
// the worker for one that other work has displaced from its CPU.
const patience = 30 * time.Microsecond

// await waits for the workers that have joined; none joins any more, since a worker first counts itself
// and then checks that it is the group's turn. A worker that is not through by the given time gets the
// CPU of the caller.
func (p *pool) await(late time.Duration) {
	for spins := 1; p.joined.Load() > 0; spins++ {
		kernel.Pause()
		if spins%64 != 0 || sinceStart() < late {
			continue
		}
		if !lends {
			runtime.Gosched()
			continue
		}
		p.threads.takeCaller()
		p.waiting.Store(true)
		for n := p.joined.Load(); n > 0; n = p.joined.Load() {
			sleepWhile(&p.joined, n, time.Millisecond)
		}
		p.waiting.Store(false)
	}
}

// worker works on one group after another until the pool ends. Its thread ends with it, because other
// goroutines would find it bound to some CPUs.
func (p *pool) worker() {
	runtime.LockOSThread()
	defer p.gone.Done()
	me := p.threads.add()
	defer p.threads.remove(me)
	var turn uint64
	for {
		if turn = p.next(turn, me); turn == 0 {
			return
		}
		if n := p.joined.Add(1); p.turn.Load() == turn && int64(n) <= p.group.seats {
			me.working.Store(true)
			ran := sharing.threadTime()
			p.group.work(&p.quit)
			sharing.workers.Add(int64(sharing.threadTime() - ran))
			me.working.Store(false)
		}
		if p.joined.Add(-1) == 0 && p.waiting.Load() {
			wakeSleepers(&p.joined, 1)
		}
	}
}

// next returns the turn of the next group after last, or 0 if the pool ends. It polls in steps that
// the garbage collector can interrupt. Where other goroutines wait for a thread, they have this
// one's first, which Go itself would take away after 10 ms only.
func (p *pool) next(last uint64, me *workerThread) uint64 {
	began := sinceStart()
	for spins := 0; ; spins++ {
		tired := false
		if spins%64 == 0 {
			now := sinceStart()
			tired = now-began > pollTime
			if me.othersWait(now) {
				runtime.Gosched()
			}
		}
		if turn := p.turn.Load(); turn%2 == 1 && turn != last {
			return turn
		}
		if p.quit.Load() {
			return 0
		}
		kernel.Pause()
		if tired {
			p.sleep(last)
			began = sinceStart()
		}
	}
}

// sleep sleeps until wakeUp is called, or returns at once if there is a group after last.
func (p *pool) sleep(last uint64) {
	// A call that opens a group after this count wakes this worker, so look once more.
	p.asleep.Add(1)
	defer p.asleep.Add(-1)
	alarm := p.alarm.Load()
	if turn := p.turn.Load(); turn%2 == 1 && turn != last || p.quit.Load() {
		return
	}
	sleepWhile(&p.alarm, alarm, lightSleep)
	if p.alarm.Load() == alarm {
		<-p.wake
	}
}

// A workerThread is the thread of a worker.
type workerThread struct {
	id       int
	working  atomic.Bool // on tasks of a group
	asked    time.Duration
	runnable []metrics.Sample
}

// othersWait reports whether a goroutine waits for a thread, if it is time to ask; before Go 1.26 it
// never does.
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

// A group is the tasks of one call, which goroutines take from a counter. Tasks write disjoint elements
// of the result, and one task computes all of an element. A task does not end its goroutine
// (runtime.Goexit).
type group struct {
	task   func(w *scratch, i int)
	tasks  int64
	seats  int64        // number of workers that may join
	next   atomic.Int64 // the first task that is not taken
	mu     sync.Mutex
	failed any // the value of the first panic
}

// begin makes the tasks of a group available.
func (g *group) begin(seats, tasks int, task func(w *scratch, i int)) {
	g.task, g.tasks, g.seats = task, int64(tasks), int64(seats)
	g.next.Store(0)
}

// work takes tasks until none is left or quit, which may be nil, is set. It returns how many it did.
func (g *group) work(quit *atomic.Bool) (done int) {
	defer func() {
		if r := recover(); r != nil {
			g.fail(r)
		}
	}()
	w := scratches.Get().(*scratch)
	for quit == nil || !quit.Load() {
		i := g.next.Add(1) - 1
		if i >= g.tasks {
			break
		}
		g.task(w, int(i))
		done++
	}
	w.release()
	return done
}

// fail records a panic and takes the remaining tasks away.
func (g *group) fail(r any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = r
	}
	g.next.Store(g.tasks)
}

var start = time.Now()

// sinceStart is the time since the process began.
func sinceStart() time.Duration { return time.Since(start) }
