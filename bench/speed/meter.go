package speed

import (
	"context"
	"math"
	"time"
)

// A meter times calls.
type meter struct {
	minTime time.Duration
	now     func() time.Duration // the time since some moment
	quiet   func()               // waits for what earlier calls have left running
}

// A contender is a call to be timed.
type contender struct {
	call  func()
	reset func() // to be called before the first call and after most calls at the latest
	most  int
	batch int     // calls between two looks at the clock
	last  float64 // seconds of a call as measured last
}

// warmUp is the length of a call beyond which waking threads and filling caches is no part of it
// worth mentioning: less than a thousandth.
const warmUp = 100 * time.Millisecond

// calibrate finds the batch of which the time is at least minTime, or the largest one.
func (m *meter) calibrate(ctx context.Context, c *contender) error {
	for c.batch = 1; ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		took := m.run(c)
		if took >= m.minTime || c.batch == c.most {
			return nil
		}
		// Ten times at most, since a short time is not exact.
		grow := 10.0
		if took > 0 {
			grow = min(grow, max(1.2, 1.1*float64(m.minTime)/float64(took)))
		}
		c.batch = int(min(math.Ceil(grow*float64(c.batch)), float64(c.most)))
	}
}

// run times one batch.
func (m *meter) run(c *contender) time.Duration {
	c.reset()
	began := m.now()
	for range c.batch {
		c.call()
	}
	took := m.now() - began
	c.last = took.Seconds() / float64(c.batch)
	return took
}

// time returns the seconds that a call takes, the mean of as many calls as take minTime.
func (m *meter) time(c *contender) float64 {
	m.quiet()
	if c.last < warmUp.Seconds() {
		c.reset()
		c.call()
	}
	var took time.Duration
	calls := 0
	for calls == 0 || took < m.minTime {
		took += m.run(c)
		calls += c.batch
	}
	return took.Seconds() / float64(calls)
}
