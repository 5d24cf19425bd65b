package blsupdate

import (
	"fmt"

	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// checkPair returns an error unless a and y have as many rows, at least one, the wanted numbers of
// columns (any, at least one, where that is 0), and only finite elements.
func checkPair(aName string, a *mat.Dense, k int, yName string, y *mat.Dense, c int) error {
	if err := checkMatrix(aName, a, 0, k); err != nil {
		return err
	}
	l, _ := a.Dims()
	return checkMatrix(yName, y, l, c)
}

func checkMatrix(name string, m *mat.Dense, rows, cols int) error {
	if m == nil || m.IsEmpty() {
		return &ShapeError{Matrix: name, Want: "at least one row and one column"}
	}
	r, c := m.Dims()
	if rows != 0 && r != rows {
		return &ShapeError{Matrix: name, Rows: r, Cols: c, Want: fmt.Sprintf("%d rows, one for each sample", rows)}
	}
	if cols != 0 && c != cols {
		return &ShapeError{Matrix: name, Rows: r, Cols: c, Want: fmt.Sprintf("%d columns, as before", cols)}
	}
	raw := m.RawMatrix()
	for i := range r {
		row := raw.Data[i*raw.Stride : i*raw.Stride+c]
		if j := isfinite.First(row); j >= 0 {
			return &NotFiniteError{Matrix: name, Row: i, Col: j, Value: row[j]}
		}
	}
	return nil
}
