// Package api has what the methods of package blsupdate share with it: its types without documentation.
// Package blsupdate converts to and from its own.
package api

import (
	"errors"

	"blskernel"
)

// The types of settings.
type (
	Method int
	Form   int
	CMode  int
	Start  int
	Action int
)

// The methods.
const (
	Improved Method = iota + 1
	Original
	RidgeInverse
	InverseCholesky
	Gram
	QR
)

// The forms.
const (
	Auto Form = iota
	Paper
	Small
	Large
	Compressed
)

// The modes.
const (
	CAuto CMode = iota
	CZero
	CCheck
)

// The starts.
const (
	StartCholesky Start = iota
	StartQR
	StartSVD
)

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
	ActionTargets
	ActionMap
)

// MethodNames has the name of each method, none for 0, and ActionNames that of the function or method
// of each action.
var (
	MethodNames = []string{"", "improved", "original", "ridge-inverse", "inverse-cholesky", "gram", "qr"}
	ActionNames = []string{"AddInputs", "New", "Weights", "RemoveInputs", "Forget", "AddNodes", "Merge", "SetLambda", "AddTargets", "MapTargets"}
)

// String returns the name of m.
func (m Method) String() string { return MethodNames[m] }

// String returns the name of a.
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

// Errors without fields. Package blsupdate makes ErrForgottenRows a type that names the method.
var (
	ErrOverflow      = errors.New("blsupdate: numbers overflow: scale the inputs or the targets, or forget less")
	ErrForgottenRows = errors.New("blsupdate: the rows of the model are not known after Forget")
)

// A fault makes a struct an error, whose text the type of package blsupdate has.
type fault struct{}

// Error is not the text that users see.
func (fault) Error() string { return "blsupdate: an error that has not been converted" }

// The errors with fields. The action is that of the call.
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
	}
	UnknownRowError struct {
		fault
		Row int
	}
)

// Unwrap returns Err.
func (e *ConditionError) Unwrap() error { return e.Err }
