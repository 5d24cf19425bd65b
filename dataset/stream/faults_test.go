package stream

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// TestSpoolFaults lets each operation on the temporary copy of an archive that comes through a pipe
// fail: the error says so, and nothing is left in the folder for temporary files.
func TestSpoolFaults(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	x := append(npyHeader(1, "<f8", false, 20, 2), float64s(count(1, 40)...)...)
	archive := npz(t, member{"X.npy", x, zip.Deflate})
	count := 0
	for n := 0; ; n++ {
		d := &faultfs.Disk{Before: n, Times: 1, Err: syscall.ENOSPC, Half: true}
		all, err := loadBy(t, "-", Options{Stdin: bytes.NewReader(archive), Format: NPZ, FS: d.FS()}, 7)
		entries, failure := os.ReadDir(temp)
		for _, e := range entries {
			if len(d.Failed()) == 0 || d.Failed()[0].Op != faultfs.Remove {
				t.Errorf("%v: %s is left", d.Failed(), e.Name())
			}
			failure = errors.Join(failure, os.Remove(filepath.Join(temp, e.Name())))
		}
		if failure != nil {
			t.Fatal(failure)
		}
		if len(d.Failed()) == 0 {
			if err != nil || all.rows == 0 {
				t.Errorf("%d rows, %v", all.rows, err)
			}
			break
		}
		count++
		first := d.Failed()[0]
		switch first.Op {
		case faultfs.Remove:
			if err != nil { // it is removed when it is closed
				t.Errorf("%+v fails: %v", first, err)
			}
		case faultfs.Read, faultfs.Close:
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%+v fails: %v", first, err)
			}
		default:
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room, or name another folder in TMPDIR") {
				t.Errorf("%+v fails: %v", first, err)
			}
		}
	}
	if count < 4 {
		t.Errorf("%d operations", count)
	}
	t.Logf("%d operations were failed", count)
}

// A panicking is a reader that gives what it has and panics then.
type panicking struct{ text *strings.Reader }

func (p panicking) Read(b []byte) (int, error) {
	if p.text.Len() == 0 {
		panic("the reader broke")
	}
	return p.text.Read(b)
}

// TestReaderPanics has a reader that panics, at first or later: so does the call that wants what it
// should have read, no later one returns samples, and no goroutine is left.
func TestReaderPanics(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, rows := range []int{0, 1, 1000, 100_000} {
		var r *Reader
		var err error
		failed := testutil.PanicValue(func() {
			r, err = Open(context.Background(), []string{"-"}, Options{Stdin: panicking{strings.NewReader(strings.Repeat("1,2\n", rows))}})
			for err == nil {
				_, err = r.Next(1000)
			}
		})
		if failed != "the reader broke" {
			t.Errorf("%d rows: %v, %v", rows, failed, err)
		}
		if r != nil {
			if _, err := r.Next(1); err == nil {
				t.Errorf("%d rows: there are samples after the panic", rows)
			}
			testutil.NoError(t, r.Close())
		}
	}
	testutil.WaitGoroutines(t, before)
}
