package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"blskernel/internal/vfs"
)

// What package syscall does not name.
const (
	errorSharingViolation = syscall.Errno(32)
	fileFlagDeleteOnClose = 0x04000000
)

// lockFile creates the file for this process alone, until it is closed; then it is gone.
func lockFile(_ vfs.FS, name string) (vfs.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|fileFlagDeleteOnClose, 0)
	switch {
	case errors.Is(err, errorSharingViolation):
		return nil, errBusy
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// release lets others change the model.
func (l *modelLock) release() { _ = l.file.Close() }
