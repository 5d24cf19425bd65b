package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/internal/atomicfile"
	"blskernel/internal/vfs"
)

// errBusy says that another process has the lock.
var errBusy = errors.New("locked by another process")

// A modelLock keeps other processes from changing a model file, so that of two updates at the same time
// none is lost. It is the operating system's lock of a file beside the model, .NAME.lock, and not of
// the model itself, which every update replaces by another file. The system takes the lock from a
// process that ends, however it ends.
type modelLock struct {
	fs   vfs.FS
	file vfs.File
}

// lockModel locks the model at path, which need not be there yet, and removes what processes that were
// killed while they wrote it have left. Until the lock is released nobody else writes it.
func lockModel(fsys vfs.FS, path string) (*modelLock, error) {
	fsys = vfs.Or(fsys)
	target, err := resolved(path)
	if err != nil {
		return nil, err
	}
	file, err := lockFile(fsys, atomicfile.Beside(target, ".lock"))
	if errors.Is(err, errBusy) {
		return nil, fmt.Errorf("%s is being changed by another process: try again when that has ended", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w: %s", path, err, vfs.Remedy(err))
	}
	_ = atomicfile.RemoveLeftovers(fsys, target) // what cannot be removed is in nobody's way
	return &modelLock{fsys, file}, nil
}

// resolved returns the file that path leads to, which may be one that is not there in a folder that is.
func resolved(path string) (string, error) {
	target, err := atomicfile.Target(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Dir(target)); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s cannot be written: the folder %q is not there", path, filepath.Dir(target))
	}
	return target, nil
}
