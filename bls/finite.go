package bls

import (
	"sync"

	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// allFinite tells whether m holds neither NaN nor infinity.
func allFinite(m *mat.Dense) bool { return firstNotFinite(m) < 0 }

// firstNotFinite returns the index of the first row of m with a NaN or an infinity, or -1.
func firstNotFinite(m *mat.Dense) int {
	rows, cols := m.Dims()
	var mu sync.Mutex
	first := rows
	parallelRows(rows, cols, func(from, to int) {
		for i := from; i < to; i++ {
			if !isfinite.All(m.RawRowView(i)) {
				mu.Lock()
				defer mu.Unlock()
				first = min(first, i)
				return
			}
		}
	})
	if first == rows {
		return -1
	}
	return first
}
