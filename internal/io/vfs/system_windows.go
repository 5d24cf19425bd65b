package vfs

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	errorAccessDenied     = syscall.Errno(5)
	errorSharingViolation = syscall.Errno(32)
	errorHandleDiskFull   = syscall.Errno(39)
	errorDiskFull         = syscall.Errno(112)
)

// full lists the errors of a full disk. A short write without another error counts as one.
var full = []error{errorDiskFull, errorHandleDiskFull, syscall.ENOSPC, io.ErrShortWrite}

// rename retries for five seconds: Windows refuses to replace a file that a reader or a virus scanner
// has open.
func rename(from, to string) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := os.Rename(from, to)
		busy := errors.Is(err, errorAccessDenied) || errors.Is(err, errorSharingViolation)
		if !busy || time.Since(began) > 5*time.Second {
			return err
		}
	}
}

// syncDir does nothing: FlushFileBuffers does not accept a folder.
func syncDir(string) error { return nil }
