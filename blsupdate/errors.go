package blsupdate

import (
	"errors"
	"fmt"
	"math"

	"blskernel/mat"
)

// ErrOverflow is returned where a result, or a number on the way to it, is too large for float64 although
// the input is finite. Scale the columns of A, or the targets.
var ErrOverflow = errors.New("blsupdate: numbers overflow: scale the inputs or the targets")

// ErrNoConvergence is returned where a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// ConditionError says that a result would have no correct digits.
type ConditionError struct {
	What  string  // the matrix that is singular to working precision
	RCond float64 // its reciprocal condition number, 0 if it is exactly singular or not known
	Err   error   // what the factorization said, if that is where it was found
}

func (e *ConditionError) Error() string {
	cause := fmt.Sprintf("reciprocal condition %.1g", e.RCond)
	if e.Err != nil {
		cause = e.Err.Error()
	}
	return fmt.Sprintf("blsupdate: %s: singular to working precision (%s); scale the columns, start from more rows, add smaller batches by form Small, or use a ridge", e.What, cause)
}

// Unwrap returns Err.
func (e *ConditionError) Unwrap() error { return e.Err }

// ShapeError says that a matrix does not fit the others.
type ShapeError struct {
	Op         string // the package that found it, "blsupdate" or one above it
	Matrix     string // which one, by its name in the method's documentation
	Rows, Cols int    // what it has
	Want       string // what it should have
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: %s is %d×%d; want %s", op(e.Op), e.Matrix, e.Rows, e.Cols, e.Want)
}

// NotFiniteError says that a matrix has a NaN or an infinity in it.
type NotFiniteError struct {
	Op       string // the package that found it, "blsupdate" or one above it
	Matrix   string // which one
	Row, Col int    // where the first of them is, from 0
	Value    float64
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("%s: element (%d,%d) of %s is %v; remove the row or fill in a value", op(e.Op), e.Row, e.Col, e.Matrix, e.Value)
}

// OptionError says that an option has a value that it cannot have.
type OptionError struct {
	Op     string // the package that found it, "blsupdate" or one above it
	Option string
	Value  any
	Want   string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %s is %v; want %s", op(e.Op), e.Option, e.Value, e.Want)
}

// op returns the prefix of an error's text.
func op(name string) string {
	if name == "" {
		return "blsupdate"
	}
	return name
}

// RankError says that the first samples do not determine the weights, with l < k and lambda > 0. The
// updates of the paper would go on in the row space of those samples for ever.
type RankError struct {
	Samples, Nodes int
}

func (e *RankError) Error() string {
	return fmt.Sprintf("blsupdate: %d samples for %d nodes with lambda > 0: start with at least as many samples as nodes, or set Lambda to 0 for the exact pseudoinverse", e.Samples, e.Nodes)
}

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
		if j := firstNotFinite(row); j >= 0 {
			return &NotFiniteError{Matrix: name, Row: i, Col: j, Value: row[j]}
		}
	}
	return nil
}

// firstNotFinite returns the index of the first NaN or infinity, or -1.
func firstNotFinite(x []float64) int {
	for i, v := range x {
		if math.IsNaN(v - v) {
			return i
		}
	}
	return -1
}
