//go:build !windows

package disk

import "os"

// rename gives a file another name, also that of another file, which it replaces.
func rename(from, to string) error { return os.Rename(from, to) }
