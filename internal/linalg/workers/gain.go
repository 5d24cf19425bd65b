package workers

import (
	"sync/atomic"
	"time"
)

// A gain compares the CPU time of groups of tasks with their elapsed time. The ratio is the speedup
// over one thread, whatever the tasks compute. It falls to 1 or below if the workers share their CPUs
// with other work, or share one CPU quota. The team is then paused for a while. Only the call that has
// the team uses the gain, except for the method paused, which any call may use.
type gain struct {
	least     float64       // the smallest ratio for which the team pays off
	skip      int           // short groups to skip before the next one that is measured
	ran, took time.Duration // CPU time and elapsed time of groups since the last judgment
	suspect   bool          // whether the last judgment was a first failure
	pause     time.Duration // the length of the last pause
	until     atomic.Int64  // when the current pause ends, on the pool's clock; 0 if there is none
}

// One in measureEvery groups up to shortGroup is measured: reading a thread's CPU time takes 0.5 µs.
const (
	shortGroup   = 200 * time.Microsecond
	measureEvery = 4
)

// The gain is judged once measured groups have taken a total time of judged, which exceeds the period
// of a CPU quota, or of judgedEarly if the gain is below harm. After two failures in a row the team is
// paused, and for twice as long after each further failure, so that attempts cost little. A single
// failure may be a hiccup of the machine.
const (
	judged       = 100 * time.Millisecond
	judgedEarly  = 10 * time.Millisecond
	harm         = 0.8
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
)

func (g *gain) due() bool { return g.skip == 0 }

// add records a group that ended at now. took is its elapsed time. If measured is set, ran is the CPU
// time of its threads, or 0 if unknown.
func (g *gain) add(measured bool, ran, took, now time.Duration) {
	switch {
	case took > shortGroup:
		g.skip = 0
	case measured:
		g.skip = measureEvery - 1
	default:
		g.skip--
	}
	if !measured || ran == 0 {
		return
	}
	if took <= shortGroup {
		ran, took = measureEvery*ran, measureEvery*took // to count the skipped groups too
	}
	g.ran += ran
	g.took += took
	ratio := float64(g.ran) / float64(g.took)
	if g.took < judgedEarly || g.took < judged && ratio >= min(harm, g.least) {
		return
	}
	switch {
	case ratio >= g.least:
		g.suspect, g.pause = false, 0
	case !g.suspect:
		g.suspect = true
	default:
		g.pause = max(firstPause, min(2*g.pause, longestPause))
		g.until.Store(int64(now + g.pause))
	}
	g.ran, g.took = 0, 0
}

func (g *gain) paused(now time.Duration) bool {
	until := g.until.Load()
	return until > 0 && int64(now) < until
}
