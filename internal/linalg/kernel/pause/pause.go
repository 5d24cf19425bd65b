// Package pause provides the CPU instruction for polling loops.
package pause

// Pause tells the CPU that the caller is polling, so that another hyperthread can use the units of the
// core. It executes PAUSE on amd64 and ISB on arm64, where YIELD does nothing on most CPUs. ISB takes
// about as long as PAUSE. In other builds Pause does nothing.
func Pause() { pause() }
