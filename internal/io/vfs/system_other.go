//go:build !windows

package vfs

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// full are the errors of a disk, or of a quota, that is full. A write that is cut short without another
// reason has met its end.
var full = []error{syscall.ENOSPC, syscall.EDQUOT, io.ErrShortWrite}

func rename(from, to string) error { return os.Rename(from, to) }

// syncDir brings the names in a folder to the disk. Some file systems cannot: they report that the
// operation is not supported or, as Linux does for them, that the argument is invalid. syncDir ignores
// both.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}
