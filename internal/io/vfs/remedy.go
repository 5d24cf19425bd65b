package vfs

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// Remedy advises the user on how to fix err, an error in creating, writing or replacing a file.
func Remedy(err error) string {
	switch {
	case slices.ContainsFunc(full, func(e error) bool { return errors.Is(err, e) }):
		return "free space on the disk, or name a file on another disk"
	case errors.Is(err, fs.ErrNotExist):
		return "create the folder, or name a file in another folder"
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return "make the file and its folder writable, or name a file in another folder"
	case errors.Is(err, syscall.EIO):
		return "the disk may be failing; name a file on another disk"
	default:
		return "fix the cause, or name a file in another folder"
	}
}
