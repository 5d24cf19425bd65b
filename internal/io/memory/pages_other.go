//go:build !linux

package memory

// declined is true: other systems choose the sizes of pages themselves.
func declined() bool { return true }

func advise([]float64) {}
