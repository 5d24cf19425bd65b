//go:build !unix

package atomicfile

import (
	"io/fs"

	"blskernel/internal/io/vfs"
)

// own does nothing: this system has no Unix owners.
func own(vfs.File, fs.FileInfo) bool { return true }
