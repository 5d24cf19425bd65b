package input

import (
	"cmp"
	"context"

	"blskernel/dataset/stream"
)

// A Fetched is a batch or an error, and how far the input has been read.
type Fetched struct {
	Batch       *stream.Batch
	Err         error
	Tally       stream.Tally
	Done, Total int64 // bytes; Total is -1 if unknown
}

// Share returns the share of the input read: rows/total if total > 0, else Done/Total, -1 if unknown.
func (f Fetched) Share(rows, total int64) float64 {
	switch {
	case total > 0:
		return min(1, float64(rows)/float64(total))
	case f.Total > 0:
		return min(1, float64(f.Done)/float64(f.Total))
	default:
		return -1
	}
}

// unknownGrowth is the assumed ratio of all rows to the rows read so far if the size of the input
// is unknown.
const unknownGrowth = 100

// ExpectedRows estimates the number of rows in the input. It returns total unless that is negative, and
// otherwise first, the rows read so far, times Total/Done, or times unknownGrowth if these are unknown.
func (f Fetched) ExpectedRows(first int, total int64) float64 {
	switch {
	case total >= 0:
		return float64(total)
	case f.Total > 0 && f.Done > 0:
		return float64(first) * float64(f.Total) / float64(f.Done)
	default:
		return unknownGrowth * float64(first)
	}
}

// Batches reads batches on a goroutine, so that the next batch is parsed while the caller learns
// one. At most one batch waits, so memory holds two batches and the buffers of the reader.
type Batches struct {
	handed chan Fetched
	Stop   context.CancelFunc // ends the reading
}

// ReadAhead starts reading r on a goroutine, which closes r at the end. Rows [0, known) come in batches
// of at most rest rows. Then come a batch of first rows and, until the end, batches of rest rows.
func ReadAhead(ctx context.Context, r *stream.Reader, known int64, first, rest int) *Batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &Batches{handed: make(chan Fetched), Stop: cancel}
	go func() {
		defer close(b.handed)
		defer r.Close()
		for rows := first; ; rows = rest {
			for known > 0 {
				f, ok := b.fetch(ctx, r, int(min(known, int64(rest))))
				if !ok {
					return
				}
				known -= int64(f.Batch.X.RawMatrix().Rows)
			}
			if _, ok := b.fetch(ctx, r, rows); !ok {
				return
			}
		}
	}()
	return b
}

// fetch reads a batch of at most rows rows and hands it to Take. After an error, more is false.
func (b *Batches) fetch(ctx context.Context, r *stream.Reader, rows int) (f Fetched, more bool) {
	f.Batch, f.Err = r.Next(rows)
	f.Done, f.Total = r.Bytes()
	f.Tally = r.Tally()
	select {
	case b.handed <- f:
		return f, f.Err == nil
	case <-ctx.Done():
		return f, false
	}
}

// Take returns the next batch, or an error: io.EOF at the end, or the cause of ctx once it is canceled.
func (b *Batches) Take(ctx context.Context) Fetched {
	if ctx.Err() != nil {
		return Fetched{Err: context.Cause(ctx)}
	}
	select {
	case f, ok := <-b.handed:
		if !ok { // reading was stopped, or has already ended with an error
			f.Err = cmp.Or(context.Cause(ctx), stream.ErrClosed)
		}
		return f
	case <-ctx.Done():
		return Fetched{Err: context.Cause(ctx)}
	}
}
