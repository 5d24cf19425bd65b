//go:build !unix

package speed

import "time"

// cpuTime returns 0: on these systems there is no OpenBLAS to wait for.
func cpuTime() time.Duration { return 0 }
