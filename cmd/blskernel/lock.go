package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blskernel/internal/atomicfile"
)

// errBusy says that another process has the lock.
var errBusy = errors.New("locked by another process")

// A modelLock keeps other processes from changing a model file, so that of two updates at the same time
// none is lost. It is the operating system's lock of a file beside the model, .NAME.lock, and not of
// the model itself, which every update replaces by another file. The system takes the lock from a
// process that ends, however it ends.
type modelLock struct {
	file *os.File
}

// lockModel locks the model at path, which need not be there yet, and removes what processes that were
// killed while they wrote it have left.
func lockModel(path string) (*modelLock, error) {
	target, err := resolved(path)
	if err != nil {
		return nil, err
	}
	file, err := lockFile(lockName(target))
	if errors.Is(err, errBusy) {
		return nil, fmt.Errorf("%s is being changed by another process: try again when that has ended", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
	}
	_ = atomicfile.RemoveLeftovers(target) // what cannot be removed is in nobody's way
	return &modelLock{file}, nil
}

// resolved returns the file that path leads to, which may be one that is not there in a folder that is.
func resolved(path string) (string, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s cannot be written: the folder %q is not there", path, filepath.Dir(path))
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// longestLocked is the number of bytes of a model's name that the name of its lock has.
const longestLocked = 200

// lockName returns the name of the lock of a file. A long name is cut, since file systems allow 255 bytes,
// and where atomicfile cuts it: models whose names are the same up to there cannot be told apart by the
// names of their temporary files, and share a lock.
func lockName(target string) string {
	dir, base := filepath.Split(target)
	if len(base) > longestLocked {
		base = strings.ToValidUTF8(base[:longestLocked], "")
	}
	return filepath.Join(dir, "."+base+".lock")
}
