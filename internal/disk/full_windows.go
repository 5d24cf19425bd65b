package disk

import (
	"io"
	"syscall"
)

// full are the errors that say that a disk is full: ERROR_DISK_FULL and ERROR_HANDLE_DISK_FULL. A write that is cut short
// without another reason has met the end of the room.
var full = []error{syscall.Errno(112), syscall.Errno(39), syscall.ENOSPC, io.ErrShortWrite}
