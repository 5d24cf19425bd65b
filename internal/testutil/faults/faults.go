// Package faults makes what tests let go wrong: a disk that is full, a context that ends in the middle of work.
package faults

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// ErrFull is the error of a Writer that takes no more.
var ErrFull = errors.New("the disk is full")

// A Writer takes Left bytes. The write that goes beyond them is cut short with ErrFull, as all that follow.
type Writer struct{ Left int }

// Write takes as much of p as there is room for.
func (w *Writer) Write(p []byte) (int, error) {
	n := min(len(p), w.Left)
	w.Left -= n
	if n < len(p) {
		return n, ErrFull
	}
	return n, nil
}

// Context is a context that is canceled once its Err has been called a number of times: work that looks at it between
// its parts can be stopped in each of them. Its channel is never closed.
type Context struct {
	context.Context
	done  chan struct{}
	most  int64
	looks atomic.Int64
}

// CanceledAfter returns a context of which the first calls of Err, so many, return nil, and all others
// context.Canceled.
func CanceledAfter(looks int) *Context {
	return &Context{Context: context.Background(), done: make(chan struct{}), most: int64(looks)}
}

// NeverCanceled returns a context that counts how often it is looked at.
func NeverCanceled() *Context { return CanceledAfter(math.MaxInt) }

// Done returns a channel, so that the context is one that can be canceled.
func (c *Context) Done() <-chan struct{} { return c.done }

// Err counts its calls, and returns context.Canceled when there were too many.
func (c *Context) Err() error {
	if c.looks.Add(1) > c.most {
		return context.Canceled
	}
	return nil
}

// Looks returns how often Err was called.
func (c *Context) Looks() int { return int(c.looks.Load()) }
