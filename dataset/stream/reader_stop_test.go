package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

func TestCloseInTheMiddle(t *testing.T) {
	before := testutil.Goroutines()
	text := bytes.Repeat([]byte("1,2,3\n"), 1<<20)
	array := append(npyHeader(1, "|u1", false, 1000, 10), make([]byte, 10000)...)
	packed := write(t, "y.csv.gz", zipped(text))
	for _, path := range []string{write(t, "x.csv", text), packed, write(t, "x.npy", array)} {
		for _, batches := range []int{0, 1, 2} {
			r := mustOpen(t, []string{path, path}, Options{})
			for range batches {
				if _, err := r.Next(5); err != nil {
					t.Fatal(err)
				}
			}
			testutil.NoError(t, r.Close())
			testutil.NoError(t, r.Close())
			if _, err := r.Next(1); err != ErrClosed {
				t.Errorf("after Close: %v", err)
			}
			testutil.WaitGoroutines(t, before)
		}
	}
}

// TestCancel ends readers by their context: at work, waiting for a pipe, and before they begin.
func TestCancel(t *testing.T) {
	before := testutil.Goroutines()
	why := errors.New("enough")
	for _, first := range []string{"1,2\n3,4\n", string(npyHeader(1, "|u1", false, 100, 2)) + "abcd"} {
		in, out, err := os.Pipe()
		testutil.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		if _, err := out.WriteString(first); err != nil {
			t.Fatal(err)
		}
		r, err := Open(ctx, []string{"-"}, Options{Stdin: in})
		testutil.NoError(t, err)
		// A pipe gives its samples before it is closed.
		if b, err := r.Next(1); err != nil || b.X.RawMatrix().Cols != 2 {
			t.Fatalf("%v, %v", b, err)
		}
		result := make(chan error)
		go func() {
			_, err := r.Next(10)
			result <- err
		}()
		cancel(why)
		if err := <-result; !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
		if _, err := r.Next(1); !errors.Is(err, why) {
			t.Errorf("and then %v", err)
		}
		testutil.NoError(t, r.Close())
		out.Close()
		testutil.WaitGoroutines(t, before)
		in.Close()
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	path := write(t, "x.csv", bytes.Repeat([]byte("1\n"), 1<<20))
	r, err := Open(ctx, []string{path}, Options{})
	testutil.NoError(t, err)
	if _, err := r.Next(10); err != nil {
		t.Fatal(err)
	}
	cancel(why)
	if _, err := r.Next(10); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	r.Close()
	if _, err := Open(ctx, []string{path}, Options{}); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	testutil.WaitGoroutines(t, before)
}

func TestPipe(t *testing.T) {
	text := strings.Repeat("1,2\n3,4\n", 50000)
	for _, data := range [][]byte{[]byte(text), zipped([]byte(text)), append(npyHeader(2, "<f8", false, 50000, 4), make([]byte, 50000*32)...)} {
		in, out, err := os.Pipe()
		testutil.NoError(t, err)
		go func() {
			out.Write(data) // ends with the reader
			out.Close()
		}()
		r := mustOpen(t, []string{"-"}, Options{Stdin: in})
		got, err := readAll(t, r, 30001)
		if err != io.EOF || len(got.x) != 200000 {
			t.Errorf("%d numbers, %v", len(got.x), err)
		}
		if done, total := r.Bytes(); done != int64(len(data)) || total != -1 {
			t.Errorf("bytes %d of %d, want %d of -1", done, total, len(data))
		}
		r.Close()
		in.Close()
	}
}
