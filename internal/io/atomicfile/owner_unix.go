//go:build unix

package atomicfile

import (
	"io/fs"
	"syscall"

	"blskernel/internal/io/vfs"
)

// own gives file the owner and the group of like as far as this process may, and reports whether the
// group is now the same. A member of the group may set the group even if it cannot set the owner.
func own(file vfs.File, like fs.FileInfo) bool {
	old, ok := like.Sys().(*syscall.Stat_t)
	return !ok || file.Chown(int(old.Uid), int(old.Gid)) == nil || file.Chown(-1, int(old.Gid)) == nil
}
