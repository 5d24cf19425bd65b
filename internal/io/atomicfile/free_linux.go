package atomicfile

import "golang.org/x/sys/unix"

// free returns the number of bytes that ordinary users can still write to the disk of folder, if known.
func free(folder string) (bytes int64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Frsize), true
}
