//go:build unix

package speed

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of all threads of this process, or 0 if it is unknown.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
