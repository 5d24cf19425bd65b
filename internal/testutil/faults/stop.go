package faults

import (
	"context"
	"sync/atomic"
)

// Stop is a context that is canceled by being looked at: what StoppedAfter returns.
type Stop struct {
	context.Context
	cancel context.CancelCauseFunc
	cause  error
	most   int64
	looks  atomic.Int64
}

// StoppedAfter returns a context of which the first calls of Err, so many, return nil. The next one cancels it for the
// given cause, as a signal does that arrives at this moment: its channel is closed, and contexts that were made from it
// are canceled with it, whose Err is not counted. release must be called when it is of no use any more.
func StoppedAfter(looks int, cause error) (ctx *Stop, release func()) {
	c := &Stop{cause: cause, most: int64(looks)}
	c.Context, c.cancel = context.WithCancelCause(context.Background())
	return c, func() { c.cancel(nil) }
}

// Err counts its calls, and cancels the context when there are too many.
func (c *Stop) Err() error {
	if c.looks.Add(1) > c.most {
		c.cancel(c.cause)
	}
	return c.Context.Err()
}

// Looks returns how often Err was called.
func (c *Stop) Looks() int { return int(c.looks.Load()) }
