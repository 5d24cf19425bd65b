//go:build unix

package atomicfile

import (
	"io/fs"
	"syscall"

	"blskernel/internal/io/vfs"
)

// own copies the owner and group of like to file, if this process may.
func own(file vfs.File, like fs.FileInfo) {
	if old, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(old.Uid), int(old.Gid))
	}
}
