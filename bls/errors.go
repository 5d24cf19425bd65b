package bls

import "fmt"

// ShapeError says that a matrix has no rows, or another number of columns than the model was fitted to.
type ShapeError struct {
	Matrix     string // which one, by its name in the documentation
	Rows, Cols int    // what it has
	Want       string // what it should have
}

// Error names the matrix, its shape and the shape it should have.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("bls: %s is %d×%d; want %s", e.Matrix, e.Rows, e.Cols, e.Want)
}

// NotFiniteError says that the samples have a NaN or an infinity in them.
type NotFiniteError struct {
	Matrix   string // which one
	Row, Col int    // where the first of them is in reading order, from 0
	Value    float64
}

// Error names the element and says what to do.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("bls: element (%d,%d) of %s is %v; remove the row or fill in a value", e.Row, e.Col, e.Matrix, e.Value)
}

// OptionError says that an option or a plain argument has a value that it cannot have.
type OptionError struct {
	Option string
	Value  any
	Want   string
}

// Error names the option, its value and the values it may have.
func (e *OptionError) Error() string {
	return fmt.Sprintf("bls: %s is %v; want %s", e.Option, e.Value, e.Want)
}

// LabelError says that a label is not the number of a class.
type LabelError struct {
	Index   int // of the sample, from 0
	Label   int
	Classes int
}

// Error names the sample, its label and the labels it may have.
func (e *LabelError) Error() string {
	return fmt.Sprintf("bls: label %d of sample %d; want 0 to %d", e.Label, e.Index, e.Classes-1)
}

// ScaleError says that the enhancement nodes cannot be scaled by s/max: no element of [Z, 0.1] Wh is
// positive on the training set. With few nodes it is a matter of chance.
type ScaleError struct {
	Max float64 // the largest element, not positive
}

// Error gives the largest element and says what to do.
func (e *ScaleError) Error() string {
	return fmt.Sprintf("bls: the largest input of the enhancement nodes on the training set is %v and should be positive; use another Seed, more EnhancementNodes, or Unscaled", e.Max)
}
