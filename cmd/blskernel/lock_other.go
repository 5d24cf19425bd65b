//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package main

import (
	"errors"
	"runtime"

	"blskernel/internal/vfs"
)

// lockFile fails: a lock that is none would let updates be lost.
func lockFile(vfs.FS, string) (vfs.File, error) {
	return nil, errors.New("files cannot be locked on " + runtime.GOOS)
}

func (l *modelLock) release() { _ = l.file.Close() }
