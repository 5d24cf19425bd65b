package blsupdate

import (
	"cmp"
	"fmt"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
)

var (
	// ErrOverflow is returned if a result or an intermediate value overflows although the input is
	// finite. Scale the columns of A, or the targets. After many calls of Forget, an inverse may
	// overflow in directions that get no new rows: forget less, or use Gram or QR and SetLambda.
	ErrOverflow = types.ErrOverflow
	// ErrApproximate is returned for statistics of Original and Improved with a ridge, which only
	// approximate the ridge solution. Set Lambda to 0, or start the model with QR or Gram.
	ErrApproximate = types.ErrApproximate
	// ErrNoConvergence is returned if a singular value decomposition does not converge.
	ErrNoConvergence = dense.ErrNoConvergence
)

// A MemoryError reports that a start, a change or a solution needs more memory than is available. The
// state is unchanged. Need is a lower bound on the allocation. Have is the memory left by the limit of
// the Go runtime and, on Linux, by the machine and the control groups of the process.
type MemoryError = memory.Error

// Errors that the methods return. Package types documents their fields and messages.
type (
	// A ConditionError reports that a matrix is too ill-conditioned for an accurate result. What
	// names the matrix, and Instead the methods that may still succeed. No result is returned and
	// the state is unchanged; a lapack.ConditionError, by contrast, comes with a result.
	ConditionError = types.ConditionError
	// A RankError reports that there are too few samples: Samples < Nodes.
	RankError = types.RankError
	// A LeverageError reports that rows, or a part of the ridge, cannot be removed or left out,
	// since they alone determine the model in some direction.
	LeverageError = types.LeverageError
	// An UnknownRowError reports that Original or Improved does not have the sample in row Row.
	UnknownRowError = types.UnknownRowError
	// A ForgottenRowsError reports that Original and Improved cannot remove rows after Forget.
	ForgottenRowsError = types.ForgottenRowsError
)

// A StateError reports that the numbers of a model contradict each other, because of a bug in this
// package, a panic in a Backend, or a write to the model's memory by other code. Discard the output of
// Encode, and continue from the last valid encoding.
type StateError = codec.StateError

// A ShapeError reports that a matrix has the wrong shape.
type ShapeError struct {
	Op         string // the package that reports it, such as "bls"; "" stands for "blsupdate"
	Matrix     string // the name of the matrix in the documentation of the method
	Rows, Cols int
	Want       string // the shape it should have
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: %s is %d×%d; want %s", op(e.Op), e.Matrix, e.Rows, e.Cols, e.Want)
}

// A NotFiniteError reports that a matrix contains a NaN or an infinity.
type NotFiniteError struct {
	Op       string // the package that reports it, such as "bls"; "" stands for "blsupdate"
	Matrix   string // the name of the matrix in the documentation of the method
	Row, Col int    // the position of the first such element, from 0
	Value    float64
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("%s: element (%d,%d) of %s is %v; remove the row or fill in a value", op(e.Op), e.Row, e.Col, e.Matrix, e.Value)
}

// An OptionError reports that an option or an argument has a value that is not valid.
type OptionError struct {
	Op     string // the package that reports it, such as "bls"; "" stands for "blsupdate"
	Option string // the name of the option or argument
	Value  any    // the given value
	Want   string // the values that are valid
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %s is %v; want %s", op(e.Op), e.Option, e.Value, e.Want)
}

func op(name string) string { return cmp.Or(name, "blsupdate") }

// An UnsupportedError reports that a method does not support an action, and which methods do.
type UnsupportedError struct {
	Method  Method
	Action  Action
	Instead []Method // the methods that support Action
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("blsupdate: the method %v does not support %v; start the model with %s", e.Method, e.Action, names.Alternatives(e.Instead))
}

func unsupported(m Method, action Action) error {
	cannot := func(other Method) bool { return other == m || !Supports(other, action) }
	return &UnsupportedError{Method: m, Action: action, Instead: slices.DeleteFunc(Methods(), cannot)}
}
