// Package pause provides the CPU instruction for polling loops.
package pause

// Pause tells the CPU that the caller is polling, so that a hyperthread on the same core can use its
// units. It is PAUSE on amd64 and ISB on arm64. There YIELD does nothing on most CPUs, and ISB takes
// about as long as PAUSE on amd64. In other builds it does nothing.
func Pause() { pause() }
