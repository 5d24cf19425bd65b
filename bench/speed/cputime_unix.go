//go:build unix

package speed

import (
	"syscall"
	"time"
)

// CPUTime returns the time for which CPUs have worked for this process, all of its threads together, or
// 0 where the operating system does not tell.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
