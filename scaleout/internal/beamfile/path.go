package beamfile

import (
	"path/filepath"
	"strings"
)

// Local tells whether a path is one of this machine, by the rule of Beam, and not of another file system, which has a scheme
// before "://".
func Local(path string) bool { return strings.Index(path, "://") <= 0 }

// Resolve returns what all names of a file have in common: of this machine its path without links and dots, as far as it and
// its folder are there, and any other path as it is.
func Resolve(path string) string {
	if !Local(path) {
		return path
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	folder, name := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return filepath.Join(real, name)
	}
	return path
}
