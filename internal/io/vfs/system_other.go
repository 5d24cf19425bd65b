//go:build !windows

package vfs

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// full lists the errors of a full disk or quota. A short write without another error counts as one.
var full = []error{syscall.ENOSPC, syscall.EDQUOT, io.ErrShortWrite}

func rename(from, to string) error { return os.Rename(from, to) }

// syncDir flushes the entries of a folder to the disk. Some file systems cannot: they report that the
// operation is not supported or, on Linux, that the argument is invalid. syncDir ignores both errors.
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
