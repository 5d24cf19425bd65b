package blsupdate

import "blskernel/mat"

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
