//go:build !unix

package atomicfile

import (
	"io/fs"

	"blskernel/internal/vfs"
)

// own does nothing: there are no owners in this sense.
func own(vfs.File, fs.FileInfo) {}
