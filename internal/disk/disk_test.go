package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// all does every operation, in the order of the names that it returns, until one fails. The file is closed in any case.
func all(dir string) (done []Op, err error) {
	step := func(op Op, e error) bool {
		if err = e; e == nil {
			done = append(done, op)
		}
		return e == nil
	}
	name := filepath.Join(dir, "x")
	f, err := OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if !step(Open, err) {
		return done, err
	}
	p := make([]byte, 4)
	_, written := f.Write([]byte("text"))
	ok := step(Write, written)
	if ok {
		_, err := f.WriteAt([]byte("n"), 0)
		ok = step(Write, err)
	}
	ok = ok && step(Chmod, f.Chmod(0o600))
	if ok {
		_, err := f.Seek(0, io.SeekStart)
		ok = step(Seek, err)
	}
	if ok {
		_, err := io.ReadFull(f, p)
		ok = step(Read, err)
	}
	if ok {
		_, err := f.ReadAt(p[:2], 2)
		ok = step(Read, err)
	}
	ok = ok && step(Truncate, f.Truncate(2)) && step(Sync, f.Sync())
	if closed := f.Close(); ok {
		ok = step(Close, closed)
	}
	ok = ok && step(Rename, RenameFile(name, name+"2")) && step(Folder, SyncFolder(dir))
	if ok {
		step(Remove, RemoveFile(name+"2"))
	}
	return done, err
}

// TestEveryOperation does all, and then lets the n-th fail for every n: it is not done, what it returns is what package
// os would, and the operation is told with its path.
func TestEveryOperation(t *testing.T) {
	order := []Op{Open, Write, Write, Chmod, Seek, Read, Read, Truncate, Sync, Close, Rename, Folder, Remove}
	if done, err := all(t.TempDir()); err != nil || !slices.Equal(done, order) {
		t.Fatalf("%v, %v", done, err)
	}
	for n, op := range order {
		dir := t.TempDir()
		calls := 0
		var failed Call
		undo := Inject(func(c Call) (int, error) {
			calls++
			if calls == n+1 {
				failed = c
				return c.Bytes / 2, syscall.EIO
			}
			return 0, nil
		})
		done, err := all(dir)
		undo()
		var path *fs.PathError
		var link *os.LinkError
		if !errors.Is(err, syscall.EIO) || !errors.As(err, &path) && !errors.As(err, &link) || !strings.Contains(err.Error(), failed.Path) {
			t.Errorf("%d: %v", n, err)
		}
		if failed.Op != op || !slices.Equal(done, order[:n]) {
			t.Errorf("%d: %+v, after %v", n, failed, done)
		}
		text, err := os.ReadFile(filepath.Join(dir, "x"))
		switch {
		case n == 0 || n > 10:
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%d: %v", n, err)
			}
		case n == 1 && string(text) != "te", n == 2 && string(text) != "text", n > 2 && n < 8 && string(text) != "next", n >= 8 && string(text) != "ne":
			t.Errorf("%d: %q (%v)", n, text, err)
		}
	}
}

// TestTemp has a temporary file, and none.
func TestTemp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := OpenTemp("x-*.tmp")
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil || info.Name() != filepath.Base(f.Name()) || f.Fd() == 0 {
		t.Error(info, err)
	}
	if err := errors.Join(f.Close(), RemoveFile(f.Name())); err != nil {
		t.Error(err)
	}
	defer Inject(func(Call) (int, error) { return 0, syscall.ENOSPC })()
	if _, err := OpenTemp("x-*.tmp"); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}

func TestSyncFolder(t *testing.T) {
	if err := SyncFolder(t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := SyncFolder(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" {
		t.Error(err)
	}
}

func TestRemedy(t *testing.T) {
	for want, errs := range map[string][]error{
		"make room on the disk, or name a file on another one":     append(slices.Clone(full), &fs.PathError{Err: full[0]}),
		"make the folder, or name a file in another one":           {fs.ErrNotExist},
		"allow it for this user, or name a file in another folder": {fs.ErrPermission, syscall.EROFS, syscall.EACCES},
		"the disk may be failing: name a file on another one":      {syscall.EIO, &os.LinkError{Err: syscall.EIO}},
		"mend that, or name a file in another folder":              {errors.New("x")},
	} {
		for _, err := range errs {
			if got := Remedy(err); got != want {
				t.Errorf("%v: %s; want %s", err, got, want)
			}
		}
	}
}
