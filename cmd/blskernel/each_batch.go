package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"blskernel/dataset/stream"
)

// eachBatch calls do with all batches of the source, one after the other, while the next ones are read.
// It returns the number of their rows, and closes the reader.
func eachBatch(ctx context.Context, t *talk, r *stream.Reader, rowsEach batchRows, do func(f fetched) error) (rows int64, err error) {
	total, batch := r.Rows(), rowsEach.of(r.Dim())
	batches := readAhead(ctx, r, 0, batch, batch)
	defer batches.stop()
	for {
		f, _ := batches.take(ctx)
		if errors.Is(f.err, io.EOF) {
			return rows, nil
		}
		if f.err == nil {
			f.err = do(f)
		}
		if f.err != nil {
			return rows, causeOf(ctx, f.err)
		}
		n, _ := f.batch.X.Dims()
		rows += int64(n)
		t.shown.show(f.share(rows, total), fmt.Sprintf("%d rows", rows))
	}
}
