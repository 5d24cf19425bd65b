//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"blskernel/internal/vfs"
)

// lockFile creates the file and locks it.
func lockFile(fsys vfs.FS, name string) (vfs.File, error) {
	for {
		f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			_ = f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errBusy
			}
			return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
		}
		// Who had the lock before may have removed the file meanwhile: then the lock is of no use.
		mine, err := f.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(name); err == nil && os.SameFile(mine, there) {
				return f, nil
			}
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// release lets others change the model.
func (l *modelLock) release() {
	_ = l.fs.Remove(l.file.Name()) // as long as the lock is held, so that nobody else's file is removed
	_ = l.file.Close()
}
