package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/io/vfs"
)

// all runs every operation until one fails, always closes the file, and returns the operations that
// succeeded, in order.
func all(fsys vfs.FS, dir string) (done []Op, err error) {
	step := func(op Op, e error) bool {
		if err = e; e == nil {
			done = append(done, op)
		}
		return e == nil
	}
	name := filepath.Join(dir, "x")
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if !step(Open, err) {
		return done, err
	}
	_, written := f.Write([]byte("text"))
	ok := step(Write, written)
	if ok {
		_, err := f.WriteAt([]byte("n"), 0)
		ok = step(Write, err)
	}
	if ok {
		_, err := f.ReadAt(make([]byte, 4), 0)
		ok = step(Read, err)
	}
	if ok {
		_, err := f.Seek(0, io.SeekStart)
		if err == nil {
			_, err = f.Read(make([]byte, 4))
		}
		ok = step(Read, err)
	}
	ok = ok && step(Chmod, f.Chmod(0o600))
	ok = ok && step(Sync, f.Sync())
	if closed := f.Close(); ok {
		ok = step(Close, closed)
	}
	if ok {
		_, err := fsys.Stat(name)
		ok = step(Stat, err)
	}
	ok = ok && step(Rename, fsys.Rename(name, name+"2")) && step(SyncDir, fsys.SyncDir(dir))
	if ok {
		step(Remove, fsys.Remove(name+"2"))
	}
	return done, err
}

// TestEveryOperation calls all, and makes the n-th operation fail for every n. all stops there, with
// the error that package os would return, which names the path.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	order := []Op{Open, Write, Write, Read, Read, Chmod, Sync, Close, Stat, Rename, SyncDir, Remove}
	if done, err := all(vfs.OS, t.TempDir()); err != nil || !slices.Equal(done, order) {
		t.Fatalf("%v, %v", done, err)
	}
	for n, op := range order {
		dir := t.TempDir()
		calls := 0
		var failed Call
		fsys := Func(func(c Call) (int, error) {
			calls++
			if calls == n+1 {
				failed = c
				return c.Bytes / 2, syscall.EIO
			}
			return 0, nil
		})
		done, err := all(fsys, dir)
		var path *fs.PathError
		var link *os.LinkError
		if !errors.Is(err, syscall.EIO) || !errors.As(err, &path) && !errors.As(err, &link) || !strings.Contains(err.Error(), failed.Path) {
			t.Errorf("%d: %v", n, err)
		}
		if failed.Op != op || !slices.Equal(done, order[:n]) {
			t.Errorf("%d: %+v failed, after %v", n, failed, done)
		}
		text, err := os.ReadFile(filepath.Join(dir, "x"))
		switch {
		case n == 0 || n > 9:
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%d: %v", n, err)
			}
		case n == 1 && string(text) != "te", n == 2 && string(text) != "text", n > 2 && string(text) != "next":
			t.Errorf("%d: %q (%v)", n, text, err)
		}
	}
}
