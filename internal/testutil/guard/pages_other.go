//go:build !linux && !darwin

package guard

import "testing"

// Watched says that the pages beside a region cannot be touched.
const Watched = false

// reserve returns n elements of the heap.
func reserve(_ testing.TB, n int) []float64 { return make([]float64, n) }
