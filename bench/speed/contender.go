package speed

import (
	"context"
	"time"

	"blskernel"
)

type contender struct {
	problem *Problem
	backend blskernel.Backend
	seconds []float64 // of a call, by round

	call  func()
	batch int     // calls between two readings of the clock
	last  float64 // seconds of a call in the last measurement
}

// warmUp is the duration of the shortest call that is timed without an untimed call first: waking
// threads and filling caches take less than a thousandth of it.
const warmUp = 100 * time.Millisecond

func (c *contender) start(ctx context.Context, r *comparisonRun) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.call = c.problem.Bind(c.backend)
	if err := c.problem.check(c.backend, c.call); err != nil {
		return err
	}
	if err := r.calibrate(ctx, c); err != nil {
		return err
	}
	return c.problem.failed(c.backend)
}

// calibrate sets c.batch to the number of calls that take at least MinTime, or to maxBatch if that is
// less. It returns the cause of ctx if ctx is canceled between two batches.
func (r *comparisonRun) calibrate(ctx context.Context, c *contender) error {
	for c.batch = 1; ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		took := r.run(c)
		if took >= r.MinTime || c.batch == c.problem.maxBatch {
			return nil
		}
		// Grow at most tenfold, since short times are inexact.
		grow := 10.0
		if took > 0 {
			grow = min(grow, max(1.2, 1.1*float64(r.MinTime)/float64(took)))
		}
		c.batch = min(int(grow*float64(c.batch))+1, c.problem.maxBatch)
	}
}

func (r *comparisonRun) run(c *contender) time.Duration {
	c.problem.Reset()
	began := r.Clock()
	for range c.batch {
		c.call()
	}
	took := r.Clock() - began
	c.last = took.Seconds() / float64(c.batch)
	return took
}

// time returns the mean seconds of a call, from batches that together take at least MinTime. It first
// makes a call that is not timed, unless calls are long: see the package comment.
func (r *comparisonRun) time(c *contender) float64 {
	if c.last < warmUp.Seconds() {
		c.problem.Reset()
		c.call()
	}
	var took time.Duration
	calls := 0
	for calls == 0 || took < r.MinTime {
		took += r.run(c)
		calls += c.batch
	}
	return took.Seconds() / float64(calls)
}
