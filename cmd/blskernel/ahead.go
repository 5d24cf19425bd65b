package main

import (
	"context"
	"time"

	"blskernel/dataset/stream"
)

// fetched is a batch, or why there is none, and how far the source has been read.
type fetched struct {
	batch       *stream.Batch
	err         error
	done, total int64 // bytes; total is -1 where it is not known
}

// ahead reads batches on a goroutine of its own, so that the next ones are parsed while one is learned.
// It holds two that nobody has taken, and is busy with a third.
type ahead struct {
	batches chan fetched
	cancel  context.CancelFunc
}

// readAhead begins to read: first some rows that are left out, then a batch of first rows, then batches
// of rest rows. It closes the reader.
func readAhead(ctx context.Context, r *stream.Reader, skip int64, first, rest int) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{batches: make(chan fetched, 2), cancel: cancel}
	go func() {
		defer close(a.batches)
		defer r.Close()
		if skip > 0 {
			if err := r.Skip(skip); err != nil {
				a.put(ctx, fetched{err: err})
				return
			}
		}
		for rows := first; ; rows = rest {
			f := fetched{}
			f.batch, f.err = r.Next(rows)
			f.done, f.total = r.Bytes()
			if !a.put(ctx, f) || f.err != nil {
				return
			}
		}
	}()
	return a
}

// put hands over what was read, and tells whether somebody still wants it.
func (a *ahead) put(ctx context.Context, f fetched) bool {
	select {
	case a.batches <- f:
		return true
	case <-ctx.Done():
		return false
	}
}

// take returns the next batch, and how long it had to be waited for.
func (a *ahead) take(ctx context.Context) (fetched, time.Duration) {
	start := time.Now()
	if ctx.Err() != nil {
		return fetched{err: context.Cause(ctx)}, 0
	}
	select {
	case f := <-a.batches:
		return f, time.Since(start)
	case <-ctx.Done():
		return fetched{err: context.Cause(ctx)}, time.Since(start)
	}
}

// stop ends the reading, as soon as the source does not keep it.
func (a *ahead) stop() { a.cancel() }

// share returns how much of the source is done after so many of its rows, total if that is not
// negative, or a negative number where nobody knows.
func (f fetched) share(rows, total int64) float64 {
	switch {
	case total > 0:
		return min(1, float64(rows)/float64(total))
	case f.total > 0:
		return min(1, float64(f.done)/float64(f.total))
	default:
		return -1
	}
}
