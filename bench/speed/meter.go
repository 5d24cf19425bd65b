package speed

import (
	"context"
	"math"
	"time"
)

// A Meter times calls. It begins each timing with a wait until the process has become quiet, and with a
// call that is not counted; see the package comment for why.
type Meter struct {
	MinTime time.Duration        // the least time of one timing
	Now     func() time.Duration // a clock: the time, of whatever kind, since some moment
	Quiet   func()               // waits for what earlier calls have left running, as Quiet does
}

// A Contender is a call to be timed, by one Meter.
type Contender struct {
	Call  func()
	Reset func() // to be called before the first call, and again after Most calls at the latest; not timed
	Most  int    // at least 1

	batch int     // calls between two looks at the clock
	last  float64 // seconds of a call as measured last
}

// warmUp is the length of a call beyond which waking threads and filling caches is no part of it
// worth mentioning: less than a thousandth.
const warmUp = 100 * time.Millisecond

// Calibrate finds the batch of which the time is at least MinTime, or the largest one. It is to be
// called before Time. If ctx is cancelled between two batches it returns the cause.
func (m *Meter) Calibrate(ctx context.Context, c *Contender) error {
	for c.batch = 1; ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		took := m.run(c)
		if took >= m.MinTime || c.batch == c.Most {
			return nil
		}
		// Ten times at most, since a short time is not exact.
		grow := 10.0
		if took > 0 {
			grow = min(grow, max(1.2, 1.1*float64(m.MinTime)/float64(took)))
		}
		c.batch = int(min(math.Ceil(grow*float64(c.batch)), float64(c.Most)))
	}
}

// run times one batch.
func (m *Meter) run(c *Contender) time.Duration {
	c.Reset()
	began := m.Now()
	for range c.batch {
		c.Call()
	}
	took := m.Now() - began
	c.last = took.Seconds() / float64(c.batch)
	return took
}

// Time returns the seconds that a call takes, the mean of as many calls as take MinTime.
func (m *Meter) Time(c *Contender) float64 {
	m.Quiet()
	if c.last < warmUp.Seconds() {
		c.Reset()
		c.Call()
	}
	var took time.Duration
	calls := 0
	for calls == 0 || took < m.MinTime {
		took += m.run(c)
		calls += c.batch
	}
	return took.Seconds() / float64(calls)
}
