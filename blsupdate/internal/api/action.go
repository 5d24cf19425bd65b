package api

import (
	"fmt"
	"slices"
	"strings"
)

// An Action is what an Updater may be asked to do.
type Action int

const (
	ActionAdd     Action = iota // AddInputs of Q rows to L
	ActionStart                 // New from L rows
	ActionWeights               // the solution for W, where the method does not have it already
	ActionRemove                // RemoveInputs of Q rows, of L that were there
	ActionForget                // Forget
	ActionNodes                 // AddNodes of P columns to K, with L rows
	ActionMerge                 // Merge
	ActionRidge                 // SetLambda
)

var actionNames = []string{"AddInputs", "New", "Weights", "RemoveInputs", "Forget", "AddNodes", "Merge", "SetLambda"}

// String returns the name of the function or method that does it.
func (a Action) String() string { return name(actionNames, int(a), "Action") }

// A Start is a way to the first state.
type Start int

const (
	// StartCholesky is by the Cholesky factor of AᵀA + lambda I. Its error grows like eps κ².
	StartCholesky Start = iota
	// StartQR is by a Householder QR of A, or of A above sqrt(lambda) I. Its error grows like eps κ.
	StartQR
	// StartSVD is the truncated singular value decomposition, for A of rank below k: of R where
	// l >= k, of A where l < k. Original and Improved only.
	StartSVD
)

var StartNames = []string{"cholesky", "qr", "svd"}

// String returns the name of s in lower case.
func (s Start) String() string { return name(StartNames, int(s), "Start") }

// methods lists all methods in the order in which an error names them.
var AllMethods = []Method{Gram, QR, RidgeInverse, InverseCholesky, Improved, Original}

// Methods returns all methods.
func Methods() []Method { return slices.Clone(AllMethods) }

// Supports tells whether the method can do the action.
func Supports(m Method, action Action) bool {
	switch action {
	case ActionMerge, ActionRidge:
		return m == Gram || m == QR
	default:
		return slices.Contains(AllMethods, m)
	}
}

// CheckStart returns the *RankError with which New refuses l samples for k nodes, or nil.
func CheckStart(m Method, opt Options, l, k int) error {
	enough := l >= k
	switch m {
	case Original, Improved: // with a ridge they would never leave the row space of the first samples
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

// UnsupportedError says that a method cannot do something, and which methods can.
type UnsupportedError struct {
	Method  Method
	Action  Action
	Instead []Method
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("blsupdate: the method %v has no %v; start the model by %s", e.Method, e.Action, joinMethods(e.Instead))
}

// joinMethods returns the names as a list of alternatives.
func joinMethods(methods []Method) string {
	var names []string
	for _, m := range methods {
		names = append(names, m.String())
	}
	return strings.Join(names, " or ")
}

// unsupported returns the error for a method that cannot do an action.
func Unsupported(m Method, action Action) error {
	e := &UnsupportedError{Method: m, Action: action}
	for _, other := range AllMethods {
		if other != m && Supports(other, action) {
			e.Instead = append(e.Instead, other)
		}
	}
	return e
}
