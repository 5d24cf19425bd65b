//go:build !windows

package disk

import (
	"io"
	"syscall"
)

// full are the errors that say that a disk, or a user's share of it, is full. A write that is cut short without
// another reason has met the end of the room.
var full = []error{syscall.ENOSPC, syscall.EDQUOT, io.ErrShortWrite}
