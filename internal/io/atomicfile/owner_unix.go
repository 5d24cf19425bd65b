//go:build unix

package atomicfile

import (
	"io/fs"
	"syscall"

	"blskernel/internal/io/vfs"
)

// own gives file the owner and the group of like, if this process may change them.
func own(file vfs.File, like fs.FileInfo) {
	if old, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(old.Uid), int(old.Gid))
	}
}
