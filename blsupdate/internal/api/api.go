// Package api has the methods, settings and errors of package blsupdate as its methods see them.
// Package blsupdate documents them, and converts to and from its own types.
package api

import (
	"errors"

	"blskernel"
)

// A Method is a blsupdate.Method.
type Method int

// The methods.
const (
	Improved Method = iota
	Original
	RidgeInverse
	InverseCholesky
	Gram
	QR
)

// MethodNames has the name of each method.
var MethodNames = []string{"improved", "original", "ridge-inverse", "inverse-cholesky", "gram", "qr"}

// String returns the name of m.
func (m Method) String() string { return MethodNames[m] }

// A Form is a blsupdate.Form.
type Form int

// The forms.
const (
	Auto Form = iota
	Paper
	Small
	Large
	Compressed
)

// A CMode is a blsupdate.CMode.
type CMode int

// The modes.
const (
	CAuto CMode = iota
	CZero
	CCheck
)

// A Start is a blsupdate.Start.
type Start int

// The starts.
const (
	StartCholesky Start = iota
	StartQR
	StartSVD
)

// An Action is a blsupdate.Action.
type Action int

// The actions.
const (
	ActionAdd Action = iota
	ActionStart
	ActionWeights
	ActionRemove
	ActionForget
	ActionNodes
	ActionMerge
	ActionRidge
)

// ActionNames has the name of the function or method of each action.
var ActionNames = []string{"AddInputs", "New", "Weights", "RemoveInputs", "Forget", "AddNodes", "Merge", "SetLambda"}

// String returns the name of the function or method.
func (a Action) String() string { return ActionNames[a] }

// Options are blsupdate.Options.
type Options struct {
	Lambda    float64
	Form      Form
	Solve     bool
	C         CMode
	Workspace int64
	Backend   blskernel.Backend
}

// DefaultWorkspace is the bound in bytes that Options.Workspace = 0 stands for.
const DefaultWorkspace int64 = 4 << 30

// LeastRest is the smallest 1 - h at which rows are removed. The relative error of a removal is about
// 10 eps/(1-h), and 100 eps/(1-h) in Gram.
const LeastRest = 1e-8

// CheckStart returns the *RankError with which a start refuses l samples for k nodes, or nil.
func CheckStart(m Method, opt Options, l, k int) error {
	enough := l >= k
	switch m {
	case Original, Improved:
		// With a ridge they would never leave the row space of the first samples.
		enough = enough || opt.Lambda == 0 || opt.C == CZero
	case RidgeInverse, InverseCholesky:
		enough = enough || opt.Lambda > 0
	default:
		return nil
	}
	if enough {
		return nil
	}
	return &RankError{Samples: l, Nodes: k, Lambda: opt.Lambda}
}

// ErrOverflow is blsupdate.ErrOverflow.
var ErrOverflow = errors.New("blsupdate: numbers overflow: scale the inputs or the targets, or forget less")

// A fault makes a struct an error.
type fault struct{}

// Error is not the text that users see.
func (fault) Error() string { return "blsupdate: an error that has not been converted" }

// The errors of package blsupdate that methods return. It converts each to its own type, which has
// the text.
type (
	ConditionError struct {
		fault
		What    string
		RCond   float64
		Err     error
		Instead []Method
	}
	LeverageError struct {
		fault
		Rest, Least float64
		Action      Action
	}
	RankError struct {
		fault
		Samples, Nodes int
		Lambda         float64
	}
	StateError struct {
		fault
		What string
	}
	UnknownRowError struct {
		fault
		Row    int
		Action Action
	}
	ForgottenRowsError struct {
		fault
		Method Method
	}
)

// Unwrap returns Err.
func (e *ConditionError) Unwrap() error { return e.Err }
