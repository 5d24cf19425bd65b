package bls

import (
	"fmt"

	"blskernel/blsupdate"
)

// The errors that this package has in common with blsupdate, whose own come through Fit and PartialFit.
type (
	// ShapeError says that a matrix has no rows, or another number of columns than the model was
	// fitted to.
	ShapeError = blsupdate.ShapeError
	// NotFiniteError says that samples or targets have a NaN or an infinity in them.
	NotFiniteError = blsupdate.NotFiniteError
	// OptionError says that an option or a plain argument has a value that it cannot have.
	OptionError = blsupdate.OptionError
)

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
