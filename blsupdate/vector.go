package blsupdate

import "blskernel/mat"

// scale multiplies x by f.
func scale(f float64, x []float64) {
	for i := range x {
		x[i] *= f
	}
}

// addTo adds x to dst.
func addTo(dst, x []float64) {
	for i, v := range x {
		dst[i] += v
	}
}

// rowsOf returns the number of rows of m.
func rowsOf(m *mat.Dense) int {
	rows, _ := m.Dims()
	return rows
}

// cloneSym returns a copy of s.
func cloneSym(s *mat.SymPacked) *mat.SymPacked {
	c := new(mat.SymPacked)
	c.CopySym(s)
	return c
}

// cloneDense returns a copy of m without gaps.
func cloneDense(m *mat.Dense) *mat.Dense {
	rows, cols := m.Dims()
	return mat.NewDense(rows, cols, compact(m))
}
