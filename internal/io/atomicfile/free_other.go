//go:build !linux

package atomicfile

// free reports that the free space is unknown.
func free(string) (bytes int64, known bool) { return 0, false }
