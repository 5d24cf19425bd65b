package modelfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil/faultfs"
)

// A changingWriter lets a model learn when a number of bytes has been written.
type changingWriter struct {
	left  int
	learn func()
}

func (w *changingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 && w.learn != nil {
		w.learn()
		w.learn = nil
	}
	return len(p), nil
}

// A model whose encoding grows while it is written gives an error of its own.
func TestErrChanged(t *testing.T) {
	f := file(t, blsupdate.Improved, true)
	x, _, y := table(20, 25, 2)
	w := &changingWriter{left: headerSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	must(t, Write(w, f)) // between the sections it does no harm
	info, err := Inspect(bytes.NewReader(written(t, f)))
	must(t, err)
	w = &changingWriter{left: int(info.Sections[1].Offset) + sectionHeaderSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	if err := Write(w, f); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}

// TestSave replaces a file as a whole, and leaves the old one if the disk fills up in the middle of the
// new one. The tests of atomicfile have every fault.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.bls")
	old, next := file(t, blsupdate.Gram, true), file(t, blsupdate.QR, true)
	must(t, Save(path, old))
	full, _ := faultfs.Full(len(written(t, next)) / 2)
	var e *WriteError
	if err := SaveFS(full, path, next); !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) || e.Path != path {
		t.Errorf("a full disk: %v", err)
	}
	for _, want := range []*File{old, next} {
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, written(t, want)) {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		must(t, Save(path, next))
	}
}

// TestLoadFaults lets each operation of Load fail. Only a failing Close is not an error.
func TestLoadFaults(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.bls")
	must(t, Save(path, file(t, blsupdate.QR, true)))
	for n := 0; ; n++ {
		d := &faultfs.Disk{Before: n, Times: faultfs.Always, Err: syscall.EIO}
		_, err := LoadFS(d.FS(), path, nil)
		switch failed := d.Failed(); {
		case len(failed) == 0 || failed[0].Op == faultfs.Close:
			must(t, err)
			if n < 2 {
				t.Errorf("%d operations can fail; want the opening and the reading", n)
			}
			return
		case !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path):
			t.Errorf("%s fails: %v", failed[0].Op, err)
		}
	}
}
