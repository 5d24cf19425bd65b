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
		"free space on the disk, or name a file on another disk":                  append(slices.Clone(full), &fs.PathError{Err: full[0]}),
		"create the folder, or name a file in another folder":                     {fs.ErrNotExist},
		"make the file and its folder writable, or name a file in another folder": {fs.ErrPermission, syscall.EROFS, syscall.EACCES},
		"the disk may be failing; name a file on another disk":                    {syscall.EIO, &os.LinkError{Err: syscall.EIO}},
		"fix the cause, or name a file in another folder":                         {errors.New("x")},
	} {
		for _, err := range errs {
			if got := Remedy(err); got != want {
				t.Errorf("%v: %s; want %s", err, got, want)
			}
		}
	}
}

// TestOS checks that an error comes without a File. The tests of atomicfile check the rest of OS.
func TestOS(t *testing.T) {
	if f, err := Or(nil).OpenFile(filepath.Join(t.TempDir(), "x"), os.O_RDONLY, 0); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
}
