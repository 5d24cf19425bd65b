package api

import (
	"errors"
	"fmt"
)

// ErrOverflow is returned where a result, or a number on the way to it, is too large for float64 although
// the input is finite. Scale the columns of A, or the targets; after many Forgets, in which an inverse grows
// without bound where nothing new is learned, forget less, or use Gram or QR and SetLambda.
var ErrOverflow = errors.New("blsupdate: numbers overflow: scale the inputs or the targets, or forget less")

// ErrNoConvergence is returned where a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// ConditionError says that a result would have no correct digits.
type ConditionError struct {
	What  string  // the matrix that is singular to working precision
	RCond float64 // its reciprocal condition number, 0 if it is exactly singular or not known
	Err   error   // what the factorization said, if that is where it was found

	Instead []Method // methods that may have digits left
}

func (e *ConditionError) Error() string {
	cause := fmt.Sprintf("reciprocal condition %.1g", e.RCond)
	if e.Err != nil {
		cause = e.Err.Error()
	}
	advice := "scale the columns, start from more rows, add smaller batches by form Small, or use a ridge"
	if len(e.Instead) > 0 {
		advice = fmt.Sprintf("use the method %s, a larger ridge, or scale the columns", joinMethods(e.Instead))
	}
	return fmt.Sprintf("blsupdate: %s: singular to working precision (%s); %s", e.What, cause, advice)
}

// Unwrap returns Err.
func (e *ConditionError) Unwrap() error { return e.Err }

// StateError is the error of Encode for a model whose numbers contradict each other, as no sequence of calls should leave
// them: a fault of this package, or of what wrote over its memory. What Encode wrote before it found out is of no use;
// the model as it was last encoded is.
type StateError struct {
	What string // is wrong
}

// Error names it.
func (e *StateError) Error() string {
	return fmt.Sprintf("blsupdate: the model contradicts itself: %s; go on from what was last saved, and report it", e.What)
}

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

// RankError says that the samples so far do not determine the weights: there are fewer of them than nodes, and
// either no ridge, or, in Original and Improved, one that would keep the model in their row space for ever.
type RankError struct {
	Samples, Nodes int
	Lambda         float64
	Running        bool // whether the model is there, and rows can be added
}

func (e *RankError) Error() string {
	if e.Lambda > 0 {
		return fmt.Sprintf("blsupdate: %d samples for %d nodes with lambda > 0: start with at least as many samples as nodes, or set Lambda to 0 for the exact pseudoinverse", e.Samples, e.Nodes)
	}
	if e.Running {
		return fmt.Sprintf("blsupdate: %d samples do not determine the weights of %d nodes without a ridge: add rows first, or SetLambda above 0", e.Samples, e.Nodes)
	}
	return fmt.Sprintf("blsupdate: %d samples for %d nodes without a ridge: give at least as many samples as nodes, set Lambda above 0, or use the method improved, which has the pseudoinverse for any number", e.Samples, e.Nodes)
}

// LeverageError says that samples, or a part of the ridge, cannot be taken out of a model: they are all that it
// knows in some direction, or all but 1e-8 of it, or all but what rounding makes of it at the condition of the
// model. What remains would have no correct digits in any method.
type LeverageError struct {
	// Rest is 1 - h, as it was computed, where h is the largest eigenvalue of Ax (AᵀA + lambda I)⁻¹ Axᵀ; the rows
	// of Ax are the root of what is taken off, times I, where that is a ridge. It is 0 where it is not known.
	Rest  float64
	Least float64 // the least Rest that would have been accepted, 0 where there is none

	Action Action // ActionRemove, or ActionRidge or ActionMerge, which take a ridge off
}

func (e *LeverageError) Error() string {
	what, advice := "the rows to be removed determine", "build a new model from the rows that remain, or raise lambda"
	if e.Action == ActionRidge || e.Action == ActionMerge {
		what, advice = "the ridge to be taken off determines", "leave more of it, or add rows first"
	}
	if e.Action == ActionMerge {
		advice = "give the receiver a ridge, or start the other model without one"
	}
	rest := fmt.Sprintf("1 - leverage is %.1g", e.Rest)
	if e.Least > LeastRest {
		rest += fmt.Sprintf(", and below %.1g it may be rounding at this condition", e.Least)
	}
	return fmt.Sprintf("blsupdate: %s the model in some direction alone (%s): %s", what, rest, advice)
}

// leastRest is the smallest 1 - h at which rows are removed, where h is the largest eigenvalue of Ax (AᵀA +
// lambda I)⁻¹ Axᵀ. The relative error of the removal is about 10 eps over it, and 100 eps over it in Gram.
const LeastRest = 1e-8

// UnknownRowError says that a sample that was given to RemoveInputs or AddNodes of Original or Improved is not
// the one that the model has. Samples are compared bit for bit with their targets.
type UnknownRowError struct {
	Row    int    // of Ax and Ya, or of A and Y, from 0: the first such sample
	Action Action // ActionRemove or ActionNodes
}

func (e *UnknownRowError) Error() string {
	if e.Action == ActionNodes {
		return fmt.Sprintf("blsupdate: row %d of A with its targets is not the sample that the model has at that place: give the samples in the order in which they were added, with bit for bit the same numbers, times the root of their weight", e.Row)
	}
	return fmt.Sprintf("blsupdate: row %d of Ax with its targets was never added, or was removed: give the same numbers that were added, to the last bit, times the root of their weight", e.Row)
}

// ForgottenRowsError says that no sample can be removed from a model by Original or Improved, since Forget has
// scaled them all and nobody knows their bits any more. AddNodes, which is given all of them as they are
// then, makes them known again.
type ForgottenRowsError struct {
	Method  Method
	Instead []Method // methods that remove samples after Forget
}

func (e *ForgottenRowsError) Error() string {
	return fmt.Sprintf("blsupdate: after Forget the rows of the model by %v are not known any more, and none can be removed: AddNodes, which is given all of them, makes them known again; the methods that remove rows after Forget are %s",
		e.Method, joinMethods(e.Instead))
}

// forgottenRows returns the error of a model by m.
func ForgottenRows(m Method) error {
	e := &ForgottenRowsError{Method: m}
	for _, other := range AllMethods {
		if other != Original && other != Improved {
			e.Instead = append(e.Instead, other)
		}
	}
	return e
}
