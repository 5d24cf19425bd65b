//go:build unix

package speed

import (
	"syscall"
	"time"
)

// cpuTime returns the time for which CPUs have worked for this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
