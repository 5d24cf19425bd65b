package learn

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// TestAheadEnds takes once more than there is, and from a reading that was stopped: there is always a
// batch or an error.
func TestAheadEnds(t *testing.T) {
	ctx := context.Background()
	a := readAhead(ctx, reader(t, "1,2\n3,4\n"), 0, 10, 10)
	if f := a.take(ctx); f.err != nil || f.batch == nil {
		t.Fatal(f.err)
	}
	if f := a.take(ctx); !errors.Is(f.err, io.EOF) {
		t.Fatal(f.err)
	}
	if f := a.take(ctx); f.err == nil {
		t.Error("neither a batch nor an error after the end")
	}
	// The channel is closed while the other context is not yet known to be done.
	a = readAhead(ctx, reader(t, "1,2\n3,4\n"), 0, 1, 1)
	a.stop()
	for n := 0; ; n++ {
		f := a.take(ctx)
		if f.err != nil {
			break
		}
		if f.batch == nil || n > 2 {
			t.Fatal("neither a batch nor an error")
		}
	}
}

// TestAheadBounded reads one batch ahead and no more, however long nobody takes it, and keeps the rows
// that are known apart from the others.
func TestAheadBounded(t *testing.T) {
	ctx := context.Background()
	a := readAhead(ctx, reader(t, strings.Repeat("1,2\n", 100)), 25, 30, 10)
	defer a.stop()
	if n := cap(a.handed); n != 0 {
		t.Errorf("%d batches wait beside the one that is handed over", n)
	}
	for _, want := range []int{10, 10, 5, 30, 10, 10, 10, 10, 5} {
		f := a.take(ctx)
		testutil.NoError(t, f.err)
		if rows, _ := f.batch.X.Dims(); rows != want {
			t.Errorf("%d rows; want %d", rows, want)
		}
	}
	if f := a.take(ctx); !errors.Is(f.err, io.EOF) {
		t.Error(f.err)
	}
}

// TestExpectedRows estimates the rows by what the first batch took of the file, and not by what has
// been read ahead of it.
func TestExpectedRows(t *testing.T) {
	const rows, first = 20000, 100
	ctx := context.Background()
	for range 5 {
		r := reader(t, strings.Repeat("1.25,2.5,3.75\n", rows))
		a := readAhead(ctx, r, 0, first, first)
		time.Sleep(time.Millisecond) // in which more could be read
		f := a.take(ctx)
		a.stop()
		if got := expectedRows(f, first, r.Rows()); got != rows {
			t.Errorf("%v rows are expected; want %d", got, rows)
		}
	}
	if got := expectedRows(fetched{total: -1}, first, -1); got != unknownGrowth*first {
		t.Errorf("%v", got)
	}
	if got := expectedRows(fetched{total: 10, done: 1}, first, 7); got != 7 {
		t.Errorf("%v", got)
	}
}

// TestBatchRows has batches that inputs, outputs or a model file would make too large.
func TestBatchRows(t *testing.T) {
	for _, tc := range []struct{ given, recorded, d, c, want int }{
		{0, 0, 4, 3, mostBatch}, {0, 0, 1 << 12, 3, 1 << 10}, {0, 0, 4, 1 << 12, 1 << 10}, {0, 0, 4, 1 << 30, 1},
		{7, 9, 4, 1 << 30, 7}, {0, 9, 4, 1 << 12, 9}, {0, 1<<31 - 1, 4, 1 << 12, 1 << 15}, {0, 9, 4, 1 << 30, 1},
	} {
		if got := batchRows(tc.given, tc.recorded, tc.d, tc.c); got != tc.want {
			t.Errorf("%+v: %d", tc, got)
		}
	}
}
