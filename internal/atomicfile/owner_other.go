//go:build !unix

package atomicfile

import (
	"io/fs"

	"blskernel/internal/disk"
)

// own does nothing: there are no owners in this sense.
func own(*disk.File, fs.FileInfo) {}
