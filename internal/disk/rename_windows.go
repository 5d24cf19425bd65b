package disk

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// rename gives a file another name, also that of another file, which it replaces. Windows refuses that while somebody has the
// other file open, as a reader or a virus scanner has for a moment, so it is tried again for some seconds.
func rename(from, to string) error {
	const (
		accessDenied     = syscall.Errno(5)
		sharingViolation = syscall.Errno(32)
	)
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := os.Rename(from, to)
		busy := errors.Is(err, accessDenied) || errors.Is(err, sharingViolation)
		if !busy || time.Since(began) > 5*time.Second {
			return err
		}
	}
}
