package gemm

import (
	"sync/atomic"
	"time"
)

// An account compares the CPU time of all tasks with the time that they took: their ratio is how much
// faster they were than on one thread, whatever they compute. Where the workers share their CPUs with
// other work, or all share a quota, it falls to 1 and below, and the pool is left alone for a while.
// The caller that has the pool has the account.
type account struct {
	groups   int
	measures bool          // the times of the current group
	workers  atomic.Int64  // CPU time of workers in it, in nanoseconds
	ran      time.Duration // CPU time of groups, and the time that they took, since the last judgement
	took     time.Duration
	suspect  bool          // the last judgement was the first against the pool
	pause    time.Duration // the last one
	until    atomic.Int64  // when the present one ends, since start; 0 if none
}

// Of short groups every fourth is measured, since reading the time of a thread takes half a
// microsecond.
const (
	shortGroup = 200 * time.Microsecond
	measured   = 4
)

// The pool is judged by its gain after this time of use, which is longer than the period of a quota, or
// early if it does harm. After two failures it is left alone, for a time that doubles with each further
// one, so that attempts cost little. One failure may be a moment in which the machine stood still.
const (
	judged       = 100 * time.Millisecond
	judgedEarly  = 10 * time.Millisecond
	harm         = 0.8
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
)

// leastGain is the gain below which the pool is left alone; tests have none.
var leastGain = 1.1

// sharing is the account of the pool, and of those that SetThreads starts after it.
var sharing account

// begin begins a group and reports whether its times are measured.
func (a *account) begin() bool {
	a.measures = a.groups%measured == 0
	a.groups++
	a.workers.Store(0)
	return a.measures
}

// threadTime returns the CPU time of the calling thread, or 0 if the group is not measured.
func (a *account) threadTime() time.Duration {
	if !a.measures {
		return 0
	}
	return threadTime()
}

// add enters a group, in which the caller's tasks ran for the given CPU time.
func (a *account) add(ran, took time.Duration) {
	if took > shortGroup {
		a.groups = 0 // and so the next is measured
	}
	if ran == 0 {
		return // not measured, or this system has no times of threads
	}
	ran += time.Duration(a.workers.Load())
	if took <= shortGroup {
		ran, took = measured*ran, measured*took // also for those between
	}
	a.ran += ran
	a.took += took
	gain := float64(a.ran) / float64(a.took)
	if a.took < judgedEarly || a.took < judged && gain >= min(harm, leastGain) {
		return
	}
	switch {
	case gain >= leastGain:
		a.suspect, a.pause = false, 0
	case !a.suspect:
		a.suspect = true
	default:
		a.pause = max(firstPause, min(2*a.pause, longestPause))
		a.until.Store(int64(sinceStart() + a.pause))
	}
	a.ran, a.took = 0, 0
}

// paused reports whether the pool is to be left alone.
func (a *account) paused() bool {
	until := a.until.Load()
	return until > 0 && int64(sinceStart()) < until
}
