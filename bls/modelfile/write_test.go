package modelfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/vfs"
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

// A model whose encoding has become longer while it was written is an error that can be told from
// others.
func TestErrChanged(t *testing.T) {
	f := file(t, blsupdate.Improved, true)
	x, _, y := table(20, 25, 2)
	w := &changingWriter{left: headerSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	must(t, Write(w, f)) // between the sections it is no harm
	info, err := Inspect(bytes.NewReader(written(t, f)))
	must(t, err)
	w = &changingWriter{left: int(info.Sections[1].Offset) + sectionHeaderSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	if err := Write(w, f); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}

// saved is a folder with a model file, and another model that is to take its place.
type saved struct {
	path     string
	old, new []byte
	file     *File
}

func newSaved(t *testing.T) *saved {
	t.Helper()
	s := &saved{path: filepath.Join(t.TempDir(), "m.bls"), old: written(t, file(t, blsupdate.Gram, true)), file: file(t, blsupdate.QR, true)}
	s.new = written(t, s.file)
	must(t, os.WriteFile(s.path, s.old, 0o666))
	return s
}

// save saves the model under faults, and looks at what there is then: the old file or, after a
// *FolderError, the new one, and nothing else but a complete copy that the error names.
func (s *saved) save(t *testing.T, fsys vfs.FS) error {
	t.Helper()
	err := SaveFS(fsys, s.path, s.file)
	must(t, atomicfile.RemoveLeftovers(nil, s.path))
	want := map[string][]byte{filepath.Base(s.path): s.old}
	var folder *FolderError
	if err == nil || errors.As(err, &folder) {
		want[filepath.Base(s.path)] = s.new
	}
	if err != nil && !strings.Contains(err.Error(), s.path) {
		t.Errorf("%v does not name the file", err)
	}
	entries, failed := os.ReadDir(filepath.Dir(s.path))
	must(t, failed)
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(s.path), e.Name())
		got, failed := os.ReadFile(path)
		must(t, failed)
		text, ok := want[e.Name()]
		if !ok && err != nil && strings.Contains(err.Error(), "kept as "+path) {
			text, ok = s.new, true
			must(t, os.Remove(path))
		}
		if !ok || !bytes.Equal(got, text) {
			t.Errorf("after %v: %s of %d bytes", err, e.Name(), len(got))
		}
		delete(want, e.Name())
	}
	if len(want) != 0 {
		t.Errorf("after %v: the model is gone", err)
	}
	must(t, os.WriteFile(s.path, s.old, 0o666))
	return err
}

// TestSaveErrors saves to a disk that is full after a number of bytes: each with BLSKERNEL_LONG=1, else
// one in 13; and to where no file can be.
func TestSaveErrors(t *testing.T) {
	t.Parallel()
	s := newSaved(t)
	for room := 0; room < len(s.new); room += step() {
		full, _ := faultfs.Full(room)
		if err := s.save(t, full); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room on the disk") {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
	room, asked := faultfs.Full(len(s.new))
	if err := s.save(t, room); err != nil || asked() != len(s.new) {
		t.Errorf("room for all of %d bytes: %v, %d written", len(s.new), err, asked())
	}
	dir := filepath.Dir(s.path)
	if err := Save(dir, s.file); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Save(filepath.Join(dir, "missing", "m.bls"), s.file); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestSaveFaults lets each operation of a Save fail, once and from then on.
func TestSaveFaults(t *testing.T) {
	t.Parallel()
	s := newSaved(t)
	all := &faultfs.Disk{}
	must(t, s.save(t, all.FS()))
	operations := all.Calls()
	for _, op := range []faultfs.Op{faultfs.Open, faultfs.Chmod, faultfs.Write, faultfs.Sync, faultfs.Close, faultfs.Rename, faultfs.SyncDir} {
		if !slices.ContainsFunc(operations, func(c faultfs.Call) bool { return c.Op == op }) {
			t.Errorf("Save does not %s", op)
		}
	}
	count := 0
	for _, times := range []int{1, faultfs.Always} {
		for n := 0; ; n++ {
			d := &faultfs.Disk{Before: n, Times: times, Err: syscall.EIO, Half: true}
			err := s.save(t, d.FS())
			if len(d.Failed()) == 0 {
				must(t, err)
				break
			}
			count++
			var file *atomicfile.WriteError
			var folder *FolderError
			if first := d.Failed()[0].Op; first == faultfs.SyncDir && !errors.As(err, &folder) || first != faultfs.SyncDir && !errors.As(err, &file) || !errors.Is(err, syscall.EIO) {
				t.Errorf("%s fails: %v", first, err)
			}
		}
	}
	if count < 2*len(operations) {
		t.Errorf("%d operations were failed, of %d for each number of faults", count, len(operations))
	}
}
