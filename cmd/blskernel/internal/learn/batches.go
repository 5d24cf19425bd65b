package learn

import (
	"cmp"
	"context"

	"blskernel/dataset/stream"
)

// fetched is a batch or an error, and how far the input has been read.
type fetched struct {
	batch       *stream.Batch
	learned     *stream.Batch // its rows but for those held out, nil for none; run.next sets it
	err         error
	tally       stream.Tally
	done, total int64 // bytes; total is -1 if unknown
}

// share returns the share of the input that is done after these rows of total, negative if unknown.
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

// batches are read on a goroutine, so that the next batch is parsed while one is learned. One batch
// waits at most: memory is that of two batches, and of what the reader reads ahead.
type batches struct {
	handed chan fetched
	stop   context.CancelFunc // ends the reading
}

// readAhead reads the known rows in batches of at most rest, which end with the last of them; then a
// batch of first rows; then batches of rest rows. It closes the reader.
func readAhead(ctx context.Context, r *stream.Reader, known int64, first, rest int) *batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &batches{handed: make(chan fetched), stop: cancel}
	go func() {
		defer close(b.handed)
		defer r.Close()
		for rows := first; ; rows = rest {
			for known > 0 {
				f, ok := b.fetch(ctx, r, int(min(known, int64(rest))))
				if !ok {
					return
				}
				known -= int64(f.batch.X.RawMatrix().Rows)
			}
			if _, ok := b.fetch(ctx, r, rows); !ok {
				return
			}
		}
	}()
	return b
}

// fetch reads a batch and hands it over, and reports whether there may be more.
func (b *batches) fetch(ctx context.Context, r *stream.Reader, rows int) (f fetched, more bool) {
	f.batch, f.err = r.Next(rows)
	f.done, f.total = r.Bytes()
	f.tally = r.Tally()
	select {
	case b.handed <- f:
		return f, f.err == nil
	case <-ctx.Done():
		return f, false
	}
}

// take returns the next batch or an error.
func (b *batches) take(ctx context.Context) fetched {
	if ctx.Err() != nil {
		return fetched{err: context.Cause(ctx)}
	}
	select {
	case f, ok := <-b.handed:
		if !ok { // the reading was stopped, or has ended before with an error
			f.err = cmp.Or(context.Cause(ctx), stream.ErrClosed)
		}
		return f
	case <-ctx.Done():
		return fetched{err: context.Cause(ctx)}
	}
}
