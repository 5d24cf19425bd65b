package vfs

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// Remedy returns an action by which a user can mend an error of the file system.
func Remedy(err error) string {
	switch {
	case slices.ContainsFunc(full, func(e error) bool { return errors.Is(err, e) }):
		return "make room on the disk, or name a file on another one"
	case errors.Is(err, fs.ErrNotExist):
		return "make the folder, or name a file in another one"
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return "allow it for this user, or name a file in another folder"
	case errors.Is(err, syscall.EIO):
		return "the disk may be failing: name a file on another one"
	default:
		return "mend that, or name a file in another folder"
	}
}
