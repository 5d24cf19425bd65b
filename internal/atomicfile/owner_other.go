//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// own does nothing: there are no owners in this sense.
func own(*os.File, fs.FileInfo) {}
