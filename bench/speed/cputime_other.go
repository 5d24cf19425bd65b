//go:build !unix

package speed

import "time"

// CPUTime returns 0, because the CPU time of a process is unknown on this operating system.
func CPUTime() time.Duration { return 0 }
