package train

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// reader returns a reader of a file with the text.
func reader(t *testing.T, text string) *stream.Reader {
	t.Helper()
	data := filepath.Join(t.TempDir(), "x.csv")
	testutil.NoError(t, os.WriteFile(data, []byte(text), 0o666))
	r, err := stream.Open(context.Background(), []string{data}, stream.Options{})
	testutil.NoError(t, err)
	return r
}

// TestExpectedRows estimates the rows by what the first batch took of the file, and not by what has
// been read ahead of it.
func TestExpectedRows(t *testing.T) {
	const rows, first = 20000, 100
	ctx := context.Background()
	for range 5 {
		r := reader(t, strings.Repeat("1.25,2.5,3.75\n", rows))
		a := input.ReadAhead(ctx, r, 0, first, first)
		time.Sleep(time.Millisecond) // in which more could be read
		f := a.Take(ctx)
		a.Stop()
		if got := expectedRows(f, first, r.Rows()); got != rows {
			t.Errorf("%v rows are expected; want %d", got, rows)
		}
	}
	if got := expectedRows(input.Fetched{Total: -1}, first, -1); got != unknownGrowth*first {
		t.Errorf("%v", got)
	}
	if got := expectedRows(input.Fetched{Total: 10, Done: 1}, first, 7); got != 7 {
		t.Errorf("%v", got)
	}
}
