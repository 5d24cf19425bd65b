//go:build !unix

package speed

import "time"

// CPUTime returns the CPU time of this process; 0, unknown, on this operating system.
func CPUTime() time.Duration { return 0 }
