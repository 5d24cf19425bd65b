package main

import (
	"cmp"
	"context"
	"time"

	"blskernel/dataset/stream"
)

// fetched is a batch, or why there is none, and how far the source has been read.
type fetched struct {
	batch       *stream.Batch
	err         error
	done, total int64 // bytes; total is -1 where it is not known
	panicked    any   // what the reading panicked with
}

// ahead reads batches on a goroutine of its own, so that the next one is parsed while one is learned. It
// holds one that nobody has taken: memory is that of two batches, and of what the source reads ahead.
type ahead struct {
	batches chan fetched
	cancel  context.CancelFunc
}

// readAhead begins to read: first the rows that are known, by at most rest, of which a batch ends with
// the last; then a batch of first rows; then batches of rest rows. It closes the reader.
func readAhead(ctx context.Context, r *stream.Reader, known int64, first, rest int) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{batches: make(chan fetched), cancel: cancel}
	go func() {
		defer close(a.batches)
		defer func() {
			if v := relayed(recover()); v != nil {
				a.put(ctx, fetched{panicked: v})
			}
		}()
		defer r.Close()
		for known > 0 {
			f, ok := a.fetch(ctx, r, int(min(known, int64(rest))))
			if !ok {
				return
			}
			known -= int64(f.batch.X.RawMatrix().Rows)
		}
		for rows := first; ; rows = rest {
			if _, ok := a.fetch(ctx, r, rows); !ok {
				return
			}
		}
	}()
	return a
}

// fetch reads a batch and hands it over, and tells whether there may be more to read.
func (a *ahead) fetch(ctx context.Context, r *stream.Reader, rows int) (fetched, bool) {
	f := fetched{}
	f.batch, f.err = r.Next(rows)
	f.done, f.total = r.Bytes()
	return f, a.put(ctx, f) && f.err == nil
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

// take returns the next batch, or why there is none, and how long it had to be waited for. It panics as the reading
// did.
func (a *ahead) take(ctx context.Context) (fetched, time.Duration) {
	start := time.Now()
	if ctx.Err() != nil {
		return fetched{err: context.Cause(ctx)}, 0
	}
	select {
	case f, ok := <-a.batches:
		if f.panicked != nil {
			panic(f.panicked)
		}
		if !ok { // the reading was stopped, or has ended before with an error
			f.err = cmp.Or(context.Cause(ctx), stream.ErrClosed)
		}
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
