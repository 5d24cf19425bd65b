package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A pool is a set of workers: goroutines on threads of their own that wait for task groups. SetThreads
// and Acquire start and end it. A worker polls for the next group for a while, then sleeps until it is
// woken.
//
// One call at a time has the pool; other calls stay on the caller's goroutine. A call does not wait for
// workers that have not joined: it runs their share of the tasks itself.
type pool struct {
	use    sync.Mutex            // held by the call that has the pool
	group  atomic.Pointer[group] // the tasks to share, or nil
	asleep atomic.Int64          // workers that wait for wake, or are about to
	wake   chan struct{}
	quit   atomic.Bool
	gone   sync.WaitGroup
}

// pollTime is how long a worker polls for the next group before it sleeps.
const pollTime = 200 * time.Microsecond

// newPool starts a pool.
func newPool(workers int) *pool {
	p := &pool{wake: make(chan struct{}, workers)}
	p.gone.Add(workers)
	for range workers {
		go p.worker()
	}
	return p
}

// size returns the number of workers; a nil pool has none.
func (p *pool) size() int {
	if p == nil {
		return 0
	}
	return cap(p.wake)
}

// end stops the workers after their current tasks and waits. A call that has the pool goes on alone.
func (p *pool) end() {
	p.quit.Store(true)
	p.wakeUp(p.size())
	p.gone.Wait()
}

// wakeUp wakes at most n sleeping workers.
func (p *pool) wakeUp(n int) {
	for range n {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}

// run shares the tasks of g with the workers, unless another call has them. It reports whether it did.
func (p *pool) run(g *group) bool {
	if !p.use.TryLock() {
		return false
	}
	defer p.use.Unlock()
	p.group.Store(g)
	if asleep := p.asleep.Load(); asleep > 0 {
		p.wakeUp(int(asleep))
	}
	g.work(nil)
	p.group.Store(nil)
	// No worker joins from here on: a worker first counts itself and then checks that the group is
	// still there.
	for spins := 0; g.joined.Load() > 0; spins++ {
		if spins > 1000 {
			runtime.Gosched()
		}
	}
	g.task = nil // workers remember the group, which must not keep the operands
	return true
}

// worker works on one group after another until the pool ends.
func (p *pool) worker() {
	runtime.LockOSThread() // a thread with one goroutine tends to stay on its CPU
	defer runtime.UnlockOSThread()
	defer p.gone.Done()
	var last *group
	for {
		g := p.await(last)
		if g == nil {
			return
		}
		last = g
		g.joined.Add(1)
		if p.group.Load() == g {
			g.work(&p.quit)
		}
		g.joined.Add(-1)
	}
}

// await returns the next group after last, or nil if the pool ends.
func (p *pool) await(last *group) *group {
	began := time.Now()
	for spins := 1; ; spins++ {
		if g := p.group.Load(); g != nil && g != last {
			return g
		}
		if p.quit.Load() {
			return nil
		}
		if spins%100 == 0 && time.Since(began) > pollTime {
			// A call that posts a group after this count wakes this worker, so look once
			// more before sleeping.
			p.asleep.Add(1)
			if g := p.group.Load(); (g == nil || g == last) && !p.quit.Load() {
				<-p.wake
			}
			p.asleep.Add(-1)
			began = time.Now()
		}
	}
}

// acquired is the pool that callers of Acquire share; guarded by setting.
var acquired struct {
	calls int
	pool  *pool // nil if a pool ran already when the first of them called
}

// Acquire starts the worker pool for many products of the given flops in all, unless a pool runs or the
// work is too small. The caller calls release once. Several callers share one pool, and the last
// release ends it. SetThreads ends it at once.
func (e *Engine) Acquire(flops float64) (release func()) {
	if flops < leastAcquired*e.kernel.Speed || Threads() == 1 {
		return func() {}
	}
	setting.Lock()
	defer setting.Unlock()
	acquired.calls++
	if running.Load() == nil && acquired.pool == nil {
		if workers := poolSize(Threads()); workers > 0 {
			acquired.pool = newPool(workers)
			running.Store(acquired.pool)
		}
	}
	return releasePool
}

// releasePool waits for the workers' current tasks, which may be another caller's.
func releasePool() {
	if p := detach(); p != nil {
		p.end()
	}
}

// detach returns the pool that no caller has acquired any more, or nil. From then on no call finds it.
func detach() *pool {
	setting.Lock()
	defer setting.Unlock()
	if acquired.calls--; acquired.calls > 0 || acquired.pool == nil {
		return nil
	}
	p := acquired.pool
	acquired.pool = nil
	running.Store(nil)
	return p
}

// leastAcquired is the least time of work, in nanoseconds, that is worth a pool of its own: many times
// that of starting and ending one.
const leastAcquired = 1_000_000
