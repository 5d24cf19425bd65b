package atomicfile

import "golang.org/x/sys/unix"

// free returns how many bytes this user may still write to a folder's disk, and whether that is known.
func free(folder string) (bytes int64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Frsize), true
}
