//go:build !windows

package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder brings the names in a folder to the disk. Some file systems cannot, and say that the
// operation is not supported or, as Linux does for them, the argument invalid; that is no error.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
