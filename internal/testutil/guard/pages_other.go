//go:build !linux && !darwin

package guard

import "testing"

// Watched reports whether the pages next to a region are inaccessible.
const Watched = false

// reserve returns n elements on the heap.
func reserve(_ testing.TB, n int) []float64 { return make([]float64, n) }
