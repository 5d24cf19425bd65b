package input

import (
	"cmp"
	"context"
	"io"

	"blskernel/cmd/blskernel/internal/session"
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

// ExpectedRows estimates the number of rows in the input. It returns total if that is known. Otherwise
// it multiplies first, the rows read so far, by Total/Done or, if these are unknown, by unknownGrowth.
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

// ReadAhead starts reading r on a goroutine, which closes r at the end. The first batch has first rows,
// the others have rest rows, except that one batch ends after exactly known rows if known is positive.
func ReadAhead(ctx context.Context, r *stream.Reader, known int64, first, rest int) *Batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &Batches{handed: make(chan Fetched), Stop: cancel}
	go func() {
		defer close(b.handed)
		defer r.Close()
		for rows := first; ; rows = rest {
			if known > 0 {
				rows = int(min(known, int64(rows)))
			}
			known -= int64(rows)
			f := Fetched{}
			if f.Batch, f.Err = r.Next(rows); f.Err != io.EOF {
				f.Err = session.InFlags(f.Err)
			}
			f.Done, f.Total = r.Bytes()
			f.Tally = r.Tally()
			select {
			case b.handed <- f:
			case <-ctx.Done():
				return
			}
			if f.Err != nil {
				return
			}
		}
	}()
	return b
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
