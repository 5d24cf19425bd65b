// Package faults injects faults into tests: full writers, and contexts that end in the middle of work.
// It also bounds the memory and the time that a reader takes.
package faults

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// ErrFull is the error of a full Writer.
var ErrFull = errors.New("the disk is full")

// A Writer accepts Left bytes. The write that exceeds this limit, and all later writes, are cut short
// and return ErrFull.
type Writer struct{ Left int }

// Write accepts as much of p as there is room for.
func (w *Writer) Write(p []byte) (int, error) {
	n := min(len(p), w.Left)
	w.Left -= n
	if n < len(p) {
		return n, ErrFull
	}
	return n, nil
}

// A Context is canceled after a number of calls of its Err method, so that a test can stop work at each
// check. Contexts derived from a Context are canceled with it; calls of their Err do not count.
type Context struct {
	context.Context
	cancel context.CancelCauseFunc
	cause  error
	most   int64
	looks  atomic.Int64
}

// StoppedAfter returns a context whose Err returns nil for the first looks calls. The next call cancels
// the context with the cause, like a signal at that moment. release cancels the context.
func StoppedAfter(looks int, cause error) (ctx *Context, release func()) {
	c := &Context{cause: cause, most: int64(looks)}
	c.Context, c.cancel = context.WithCancelCause(context.Background())
	return c, func() { c.cancel(nil) }
}

// CanceledAfter is StoppedAfter with the cause context.Canceled.
func CanceledAfter(looks int) *Context {
	ctx, _ := StoppedAfter(looks, context.Canceled)
	return ctx
}

// NeverCanceled returns a context that is not canceled but counts the calls of Err.
func NeverCanceled() *Context { return CanceledAfter(math.MaxInt) }

// Err counts its calls, and cancels the context when there are too many.
func (c *Context) Err() error {
	if c.looks.Add(1) > c.most {
		c.cancel(c.cause)
	}
	return c.Context.Err()
}

// Looks returns how often Err was called.
func (c *Context) Looks() int { return int(c.looks.Load()) }
