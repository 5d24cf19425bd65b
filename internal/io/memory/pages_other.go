//go:build !linux

package memory

// declined returns true: other systems choose page sizes themselves.
func declined() bool { return true }

func advise([]float64) {}
