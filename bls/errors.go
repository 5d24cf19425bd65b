package bls

import (
	"fmt"

	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
)

// Errors shared with blsupdate. Fit and PartialFit also return other errors of blsupdate.
type (
	// ShapeError reports a matrix that has no rows or does not fit the model or another matrix.
	ShapeError = blsupdate.ShapeError
	// NotFiniteError reports that samples or targets contain a NaN or an infinity.
	NotFiniteError = blsupdate.NotFiniteError
	// OptionError reports that an option or a scalar argument is out of range.
	OptionError = blsupdate.OptionError
	// MemoryError reports that a fit or an update needs more memory than is available.
	MemoryError = blsupdate.MemoryError
	// FormatError reports data that Encode did not write, or that was changed later.
	FormatError = codec.FormatError
)

// LabelError reports a label outside 0 to Classes-1.
type LabelError struct {
	Index   int // of the sample or, in Relabel, of the class; from 0
	Label   int
	Classes int
}

func (e *LabelError) Error() string {
	do := ""
	if e.Label < 0 || e.Classes == maxInferredClasses {
		do = ": number the classes from 0 without gaps, or use a Regressor if the labels are quantities"
	}
	return fmt.Sprintf("bls: label %d at index %d is out of range; want 0 to %d%s", e.Label, e.Index, e.Classes-1, do)
}

// TargetError reports a target that is not positive, which a model of logarithms cannot learn.
type TargetError struct {
	Row, Col int // of Y, from 0
	Value    float64
}

func (e *TargetError) Error() string {
	return fmt.Sprintf("bls: target %v in row %d, column %d of Y is not positive, but the model learns logarithms: leave the row out, "+
		"or fit a model with LogTargets None", e.Value, e.Row, e.Col)
}

// ScaleError reports that the enhancement nodes cannot be scaled by s/m: no element of [Z, 0.1] Wh is
// positive on the training set, which can happen by chance with few nodes.
type ScaleError struct {
	Max float64 // the largest element, not positive
}

func (e *ScaleError) Error() string {
	return fmt.Sprintf("bls: the largest input of the enhancement nodes on the training set is %v, which is not positive; "+
		"use another Seed, more EnhancementNodes, or Unscaled", e.Max)
}

// OverflowError reports that a node, a prediction or an intermediate result overflows, although the
// samples are finite. With ScaleSamples only large targets can cause an overflow.
type OverflowError struct {
	What string // the quantity that overflows
	Row  int    // a sample at fault, from 0, or -1 if no single sample of the call is at fault
	Col  int    // the first column of X at fault, from 0, or -1 if no single column is at fault
}

func (e *OverflowError) Error() string {
	at := ""
	if e.Row >= 0 {
		at = fmt.Sprintf(" of sample %d", e.Row)
	}
	if e.Col >= 0 {
		at += fmt.Sprintf(" at column %d of X", e.Col)
	}
	return fmt.Sprintf("bls: overflow in %s%s: remove samples that are far beyond the others, or scale the values down", e.What, at)
}

// Unwrap returns blsupdate.ErrOverflow.
func (e *OverflowError) Unwrap() error { return blsupdate.ErrOverflow }
