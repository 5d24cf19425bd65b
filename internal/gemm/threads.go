package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	setting    sync.Mutex           // guards changes of the two
	maxThreads atomic.Int64         // the number set by SetThreads; 0 means GOMAXPROCS
	current    atomic.Pointer[pool] // the worker pool, or nil
)

// SetThreads sets the largest number of threads, the caller's included, that one product may use. 0,
// the initial value, means GOMAXPROCS. Products under way and results do not change. It panics if
// n < 0.
//
// It ends the worker pool, waiting until the workers have finished their tasks; the next product that
// is worth it starts one of the new size.
func SetThreads(n int) {
	if n < 0 {
		panic("gemm: negative number of threads")
	}
	setting.Lock()
	defer setting.Unlock()
	maxThreads.Store(int64(n))
	if p := current.Load(); p != nil && p.size != poolSize() {
		current.Store(nil)
		p.end()
	}
}

// Threads returns the largest number of threads that one product may use.
func Threads() int {
	if n := int(maxThreads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// poolSize returns the number of workers, which with the caller are the threads of a product.
func poolSize() int { return min(Threads(), runtime.GOMAXPROCS(0), cpus) - 1 }

// cpus is the number of CPUs that the process could use when it began: more threads would take turns.
var cpus = runtime.NumCPU()

// The time, in nanoseconds, below which work stays on the caller's goroutine: some ten times that of
// opening a group for workers that are awake; that of waking them.
const (
	minAwake  = 40_000
	minAsleep = 60_000
)

// lastWorth is when the last call that was worth sharing began, since start.
var lastWorth atomic.Int64

// hire returns the worker pool for work of the given nanoseconds, or nil if that stays with the caller:
// because it is too short, or the pool is in use, or there is only one thread. The caller releases the
// pool.
func hire(nanoseconds float64) *pool {
	if nanoseconds < minAwake || maxThreads.Load() == 1 {
		return nil
	}
	// A call within a task of another stops here, before it could wait for its own worker to end.
	if sharing.paused() || !poolInUse.TryLock() {
		return nil
	}
	p := current.Load()
	if size := poolSize(); p == nil || p.size != size {
		p = resize(size, nanoseconds)
	}
	if p == nil || nanoseconds < minAsleep && p.asleep.Load() > 0 && !streak() {
		poolInUse.Unlock()
		return nil
	}
	return p
}

// streak reports whether another call that is worth sharing began a short while ago. A pool that sleeps
// is woken for a call shorter than minAsleep only if such calls follow each other.
func streak() bool {
	now := int64(sinceStart())
	return now-lastWorth.Swap(now) < int64(pollTime)
}

// resize starts a pool of the given size, which may be 0, in place of the current one. The caller holds
// poolInUse.
func resize(size int, nanoseconds float64) *pool {
	if current.Load() == nil && (size == 0 || nanoseconds < minAsleep && !streak()) {
		return nil
	}
	setting.Lock()
	defer setting.Unlock()
	p := current.Load()
	if size != poolSize() || p != nil && p.size == size {
		return p
	}
	current.Store(nil)
	if p != nil {
		p.end()
	}
	if size == 0 {
		return nil
	}
	p = newPool(size)
	current.Store(p)
	return p
}

// release ends the use of a pool that hire has returned.
func (p *pool) release() { poolInUse.Unlock() }

// hire returns the worker pool for a product of the given flops, as the function hire.
func (e *Engine) hire(flops float64) *pool { return hire(flops / e.kernel.Speed) }

// Rows splits [0, rows) across threads if that is worth it for rows of the given nanoseconds each,
// calls do for each range, and waits. Each thread has a part of the rows, the same in each call as far
// as it is there in time, so that what it has in its own caches is of use to the next call. A thread
// that is through with its part takes ranges from those of others.
func Rows(rows, nanoseconds int, do func(from, to int)) {
	if rows > 1 {
		if p := hire(float64(rows) * float64(nanoseconds)); p != nil {
			defer p.release()
			threads := min(p.size+1, rows)
			tasks := min(threads*mostTasks, rows)
			next := make([]atomic.Int64, threads) // of the tasks of each part
			p.run(threads-1, threads, func(_ *scratch, own int) {
				for i := range threads {
					part := (own + i) % threads
					first, end := part*tasks/threads, (part+1)*tasks/threads
					for t := first + int(next[part].Add(1)) - 1; t < end; t = first + int(next[part].Add(1)) - 1 {
						do(share(rows, t, tasks), share(rows, t+1, tasks))
					}
				}
			})
			return
		}
	}
	do(0, rows)
}

// share returns rows·t/tasks, where the product may not fit an int.
func share(rows, t, tasks int) int { return int(int64(rows) * int64(t) / int64(tasks)) }
