package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
)

func TestSyncDir(t *testing.T) {
	testutil.NoError(t, OS.SyncDir(t.TempDir()))
	if err := OS.SyncDir(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" {
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

// TestOS does with a file what os does, and returns nil files with errors.
func TestOS(t *testing.T) {
	dir := t.TempDir()
	f, err := Or(nil).OpenFile(filepath.Join(dir, "x"), os.O_WRONLY|os.O_CREATE, 0o666)
	testutil.NoError(t, err)
	name := filepath.Join(dir, "y")
	testutil.NoError(t, errors.Join(f.Close(), OS.Rename(f.Name(), name)))
	g, err := Or(OS).OpenFile(name, os.O_RDONLY, 0)
	testutil.NoError(t, err)
	testutil.NoError(t, errors.Join(g.Close(), OS.Remove(name)))
	if f, err := OS.OpenFile(name, os.O_RDONLY, 0); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
}
