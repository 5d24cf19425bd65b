// Package pause has the instruction for loops that poll.
package pause

// Pause tells the CPU that the caller polls: a sibling that shares the core gets its units meanwhile.
// It is PAUSE on amd64 and ISB on arm64, where YIELD does nothing on most CPUs and ISB takes about as
// long as PAUSE does. In other builds it does nothing.
func Pause() { pause() }
