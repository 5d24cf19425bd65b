//go:build !unix

package speed

import "time"

// CPUTime returns the time for which CPUs have worked for this process, all of its threads together: on
// this operating system 0, which stands for unknown.
func CPUTime() time.Duration { return 0 }
