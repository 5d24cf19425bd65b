//go:build !unix

package speed

import "time"

// CPUTime returns 0: the CPU time of this process is unknown on this operating system.
func CPUTime() time.Duration { return 0 }
