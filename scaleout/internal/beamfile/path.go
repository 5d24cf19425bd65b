package beamfile

import (
	"path/filepath"
	"strings"

	"blskernel/internal/atomicfile"
)

// Local tells whether a path is one of this machine, by the rule of Beam, and not of another file
// system, which has a scheme before "://".
func Local(path string) bool { return strings.Index(path, "://") <= 0 }

// Resolve returns a path of this machine without symbolic links and dots, as far as they and its folder
// can be read, and any other path as it is. Where links lead to need not be there.
func Resolve(path string) string {
	if !Local(path) {
		return path
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := atomicfile.Target(path); err == nil {
		path = target
	}
	folder, name := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return filepath.Join(real, name)
	}
	return path
}
