// Package workers shares the work of one call among threads.
//
// A Pool sets the number of workers and decides which calls get them. A call must be long enough, no
// other call may have the workers, and the workers must speed up calls on this machine (gain.go). A
// Team does the work: each worker is a goroutine on its own thread and waits for tasks (team.go), off
// the caller's CPU (affinity_linux.go). The first long call starts the team; idle workers sleep.
//
// One call at a time has the team. Other calls, and calls within a task, stay on their own goroutine.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool holds at most one team of workers and decides which calls get it. Its methods may be called
// from several goroutines at once.
type Pool struct {
	cpus     int                  // the number of CPUs; more threads would take turns
	max      atomic.Int64         // the number set by SetThreads; 0 means GOMAXPROCS
	resizing sync.Mutex           // guards changes of max and team
	team     atomic.Pointer[Team] // nil if none has been started
	busy     sync.Mutex           // held by the call that has the team, even after SetThreads has ended the team
	recent   atomic.Int64         // when recentCall was last called, on the pool's clock
	gain     gain
	start    time.Time // the origin of the pool's clock
}

// New returns a pool for the given number of CPUs. The pool pauses its workers for a while if they
// speed up calls by a factor below minGain. With minGain = 0 it never pauses them.
func New(cpus int, minGain float64) *Pool {
	return &Pool{cpus: cpus, gain: gain{least: minGain}, start: time.Now()}
}

// Default is the pool for all calls in this process.
var Default = New(runtime.NumCPU(), 1.1)

func (p *Pool) now() time.Duration { return time.Since(p.start) }

// SetThreads sets the maximum number of threads, including the caller's, that one call may use. n = 0
// means GOMAXPROCS, as at the start. SetThreads panics if n < 0.
//
// SetThreads ends a team of a different size and waits until the workers have finished their tasks, so
// no task may call it. A call that has the team finishes alone. The next long call starts a new team.
func (p *Pool) SetThreads(n int) {
	if n < 0 {
		panic("blskernel: negative number of threads")
	}
	p.resizing.Lock()
	defer p.resizing.Unlock()
	p.max.Store(int64(n))
	if t := p.team.Load(); t != nil && t.size != p.size() {
		p.team.Store(nil)
		t.end()
	}
}

// Threads returns the maximum number of threads that one call may use.
func (p *Pool) Threads() int {
	if n := int(p.max.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// size returns the number of workers of a team. A call also uses the caller's thread.
func (p *Pool) size() int { return min(p.Threads(), runtime.GOMAXPROCS(0), p.cpus) - 1 }

// Work of fewer nanoseconds stays with the caller: minAwake applies if the workers are awake (they must
// fetch data that other threads wrote), minAsleep if they sleep (waking takes 20 to 120 µs).
const (
	minAwake  = 40_000
	minAsleep = 60_000
)

// Acquire returns the team for work that takes the given number of nanoseconds; the caller must release
// the team. It returns nil if the work is too short, another call has the team, the team is paused, or
// there is only one thread. The work then stays with the caller.
func (p *Pool) Acquire(nanoseconds float64) *Team {
	if nanoseconds < minAwake || p.max.Load() == 1 {
		return nil
	}
	// A call from within a task returns here: below, resize could wait for its own worker to end.
	if p.gain.paused(p.now()) || !p.busy.TryLock() {
		return nil
	}
	t := p.team.Load()
	if size := p.size(); t == nil || t.size != size {
		t = p.resize(size, nanoseconds)
	}
	if t == nil || nanoseconds < minAsleep && t.asleep.Load() > 0 && !p.recentCall() {
		p.busy.Unlock()
		return nil
	}
	return t
}

// Release gives the team back to its pool.
func (t *Team) Release() { t.pool.busy.Unlock() }

// recentCall reports whether it was last called less than pollTime ago, and records this call. Calls
// shorter than minAsleep wake sleeping workers only in quick succession.
func (p *Pool) recentCall() bool {
	now := int64(p.now())
	return now-p.recent.Swap(now) < int64(pollTime)
}

// resize replaces the current team with one of the given size, or with none if size is 0, and returns
// the result. Short calls start the first team only in quick succession. The caller holds busy.
func (p *Pool) resize(size int, nanoseconds float64) *Team {
	if p.team.Load() == nil && (size == 0 || nanoseconds < minAsleep && !p.recentCall()) {
		return nil
	}
	p.resizing.Lock()
	defer p.resizing.Unlock()
	t := p.team.Load()
	if size != p.size() || t != nil && t.size == size {
		return t
	}
	p.team.Store(nil)
	if t != nil {
		t.end()
	}
	if size == 0 {
		return nil
	}
	t = newTeam(p, size)
	p.team.Store(t)
	return t
}

// Worth reports whether Rows may share rows that take the given number of nanoseconds each.
func Worth(rows, nanoseconds int) bool {
	return rows > 1 && float64(rows)*float64(nanoseconds) >= minAwake
}

// rangesPerThread is the number of ranges that Rows makes for each thread.
const rangesPerThread = 8

// Rows splits [0, rows) into ranges, calls do for each range, and waits. It uses several threads if the
// work, at the given nanoseconds per row, is long enough. If do panics, Rows panics with its value.
func (p *Pool) Rows(rows, nanoseconds int, do func(from, to int)) {
	if Worth(rows, nanoseconds) {
		if t := p.Acquire(float64(rows) * float64(nanoseconds)); t != nil {
			defer t.Release()
			ranges := min(t.Threads()*rangesPerThread, rows)
			t.Run(ranges, func(r int) { do(fraction(rows, r, ranges), fraction(rows, r+1, ranges)) })
			return
		}
	}
	do(0, rows)
}

// fraction returns n·i/of, even if n·i overflows a 32-bit int.
func fraction(n, i, of int) int { return int(int64(n) * int64(i) / int64(of)) }
