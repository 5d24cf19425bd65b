package input

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

func reader(t *testing.T, text string) *stream.Reader {
	t.Helper()
	data := filepath.Join(t.TempDir(), "x.csv")
	testutil.NoError(t, os.WriteFile(data, []byte(text), 0o666))
	r, err := stream.Open(context.Background(), []string{data}, stream.Options{})
	testutil.NoError(t, err)
	return r
}

// TestAheadEnds takes one more batch than there is, and one from a reading that was stopped: each call
// returns a batch or an error.
func TestAheadEnds(t *testing.T) {
	ctx := context.Background()
	a := ReadAhead(ctx, reader(t, "1,2\n3,4\n"), 0, 10, 10)
	if f := a.Take(ctx); f.Err != nil || f.Batch == nil {
		t.Fatal(f.Err)
	}
	if f := a.Take(ctx); !errors.Is(f.Err, io.EOF) {
		t.Fatal(f.Err)
	}
	if f := a.Take(ctx); f.Err == nil {
		t.Error("neither a batch nor an error after the end")
	}
	// The channel is closed while the other context is not yet known to be done.
	a = ReadAhead(ctx, reader(t, "1,2\n3,4\n"), 0, 1, 1)
	a.Stop()
	for n := 0; ; n++ {
		f := a.Take(ctx)
		if f.Err != nil {
			break
		}
		if f.Batch == nil || n > 2 {
			t.Fatal("neither a batch nor an error")
		}
	}
}

// TestAheadBounded checks that only one batch is read ahead, however long nobody takes it, and that the
// known rows are in batches of their own.
func TestAheadBounded(t *testing.T) {
	ctx := context.Background()
	a := ReadAhead(ctx, reader(t, strings.Repeat("1,2\n", 100)), 25, 20, 10)
	defer a.Stop()
	if n := cap(a.handed); n != 0 {
		t.Errorf("%d batches wait beside the one that is handed over", n)
	}
	for _, want := range []int{20, 5, 10, 10, 10, 10, 10, 10, 10, 5} {
		f := a.Take(ctx)
		testutil.NoError(t, f.Err)
		if rows, _ := f.Batch.X.Dims(); rows != want {
			t.Errorf("%d rows; want %d", rows, want)
		}
	}
	if f := a.Take(ctx); !errors.Is(f.Err, io.EOF) {
		t.Error(f.Err)
	}
}

// TestBatchRows checks the limits on batches that inputs, outputs or a model file would make too large.
func TestBatchRows(t *testing.T) {
	for _, tc := range []struct{ given, recorded, d, c, want int }{
		{0, 0, 4, 3, maxBatch}, {0, 0, 1 << 12, 3, 1 << 10}, {0, 0, 4, 1 << 12, 1 << 10}, {0, 0, 4, 1 << 30, 1},
		{7, 9, 4, 1 << 30, 7}, {0, 9, 4, 1 << 12, 9}, {0, 1<<31 - 1, 4, 1 << 12, 1 << 15}, {0, 9, 4, 1 << 30, 1},
	} {
		if got := batchRows(tc.given, tc.recorded, tc.d, tc.c); got != tc.want {
			t.Errorf("%+v: %d", tc, got)
		}
	}
}

// TestListed checks that the oldest files leave a list that is full.
func TestListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.csv")
	testutil.NoError(t, os.WriteFile(path, []byte("1\n"), 0o666))
	var in Input
	testutil.NoError(t, in.Begin([]string{path}, &session.Session{}))
	m := &model.Model{File: &modelfile.File{Metadata: modelfile.Metadata{Learned: make([]modelfile.Learned, model.MaxLearned)}}}
	in.ListLearned(m, RowCount{path: 1}, false)
	meta := m.Metadata
	if n := len(meta.Learned); n != model.MaxLearned || meta.Learned[n-1].Name != "new.csv" {
		t.Errorf("%d files, the last %+v", n, meta.Learned[n-1])
	}
}

// TestHashOnce checks that a file is hashed on the first request only: it may be gone on the second.
func TestHashOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	testutil.NoError(t, os.WriteFile(path, []byte("1\n"), 0o666))
	var in Input
	testutil.NoError(t, in.Begin([]string{path}, &session.Session{}))
	m := &model.Model{File: &modelfile.File{}}
	in.ListLearned(m, RowCount{path: 1}, false)
	testutil.NoError(t, os.Remove(path))
	if i, err := in.FindLearned(m, path, false); i != 0 || err != nil {
		t.Errorf("file %d, %v", i, err)
	}
	in.ListLearned(m, RowCount{path: 1}, true)
	if l := m.Metadata.Learned; len(l) != 1 || !l[0].Removed {
		t.Errorf("the list is %+v", l)
	}
}

// TestExpectedRows checks that the estimate is from the bytes that the first batch took, and not from
// what has been read ahead of it.
func TestExpectedRows(t *testing.T) {
	const rows, first = 20000, 100
	ctx := context.Background()
	for range 5 {
		r := reader(t, strings.Repeat("1.25,2.5,3.75\n", rows))
		a := ReadAhead(ctx, r, 0, first, first)
		time.Sleep(time.Millisecond) // meanwhile more could be read
		f := a.Take(ctx)
		a.Stop()
		if got := f.ExpectedRows(first, r.Rows()); got != rows {
			t.Errorf("%v rows are expected; want %d", got, rows)
		}
	}
	if got := (Fetched{Total: -1}).ExpectedRows(first, -1); got != unknownGrowth*first {
		t.Errorf("%v", got)
	}
	if got := (Fetched{Total: 10, Done: 1}).ExpectedRows(first, 7); got != 7 {
		t.Errorf("%v", got)
	}
}
