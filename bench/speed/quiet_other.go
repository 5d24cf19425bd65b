//go:build !unix

package speed

import "time"

// CPUTime returns the time for which CPUs have worked for this process, all of its threads together. On
// this operating system it is 0: there is no OpenBLAS to wait for.
func CPUTime() time.Duration { return 0 }
