package stream

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestCancel ends readers by their context: at work, waiting for a pipe, and before they begin.
func TestCancel(t *testing.T) {
	before := testutil.Goroutines()
	why := errors.New("enough")
	for _, first := range []string{"1,2\n3,4\n", string(npyHeader(1, "|u1", false, 100, 2)) + "abcd"} {
		for name, read := range map[string]func(*Reader, int) (*Batch, error){"Next": (*Reader).Next, "Peek": (*Reader).Peek} {
			in, out, err := os.Pipe()
			testutil.NoError(t, err)
			ctx, cancel := context.WithCancelCause(t.Context())
			if _, err := out.WriteString(first); err != nil {
				t.Fatal(err)
			}
			r, err := Open(ctx, []string{"-"}, Options{Stdin: in})
			testutil.NoError(t, err)
			// A pipe gives its samples before it is closed.
			if b, err := read(r, 1); err != nil || b.X.RawMatrix().Cols != 2 {
				t.Fatalf("%s: %v, %v", name, b, err)
			}
			result := make(chan error)
			go func() {
				_, err := read(r, 10)
				result <- err
			}()
			cancel(why)
			if err := <-result; !errors.Is(err, why) {
				t.Errorf("%s: error %v", name, err)
			}
			again := func() error {
				_, err := read(r, 1)
				if name == "Peek" && r.Select(Selection{}) != err {
					t.Errorf("Select gives another error than %v", err)
				}
				return err
			}
			if err := again(); !errors.Is(err, why) {
				t.Errorf("%s: and then %v", name, err)
			}
			testutil.NoError(t, r.Close())
			if err := again(); err != ErrClosed {
				t.Errorf("%s: after Close: %v", name, err)
			}
			r.Bytes()
			out.Close()
			testutil.WaitGoroutines(t, before)
			in.Close()
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	path := write(t, "x.csv", bytes.Repeat([]byte("1\n"), 1<<20))
	r, err := Open(ctx, []string{path}, Options{})
	testutil.NoError(t, err)
	next(t, r, 10)
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

// TestNamedPipe opens a pipe without a writer: Open ends with the context, as does Next at such a pipe.
func TestNamedPipe(t *testing.T) {
	before := testutil.Goroutines()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no named pipes in folders: ", err)
	}
	why := errors.New("enough")
	csv := write(t, "x.csv", []byte("1,2\n"))
	for name, paths := range map[string][]string{"Open": {pipe}, "Next": {csv, pipe}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		result := make(chan error)
		go func() {
			r, err := Open(ctx, paths, Options{})
			if err == nil {
				_, err = r.Next(10)
				err = errors.Join(err, r.Close())
			}
			result <- err
		}()
		cancel(why)
		if err := <-result; !errors.Is(err, why) {
			t.Errorf("%s: error %v", name, err)
		}
		// A late writer ends the goroutine that still opens the pipe.
		if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
			t.Error(err)
		} else {
			testutil.WaitGoroutines(t, before)
			f.Close()
		}
	}
	go func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			f.WriteString("1,2,u\n3,4,v\n")
			f.Close()
		}
	}()
	all, err := loadEach(t, pipe, Options{Targets: []string{"3"}, Classes: true})
	if err != nil || !slices.Equal(all.x, count(1, 4)) || strings.Join(all.labels, "") != "uv" {
		t.Errorf("%v, %v", all, err)
	}
	testutil.WaitGoroutines(t, before)
}
