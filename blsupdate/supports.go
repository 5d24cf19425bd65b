package blsupdate

import (
	"fmt"
	"slices"
	"strings"
)

// methods lists all methods in the order in which an error names them.
var methods = []Method{Gram, QR, RidgeInverse, InverseCholesky, Improved, Original}

// Methods returns all methods.
func Methods() []Method { return slices.Clone(methods) }

// Supports tells whether the method can do the action.
func Supports(m Method, action Action) bool {
	switch action {
	case ActionMerge, ActionRidge:
		return m == Gram || m == QR
	default:
		return slices.Contains(methods, m)
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
func unsupported(m Method, action Action) error {
	e := &UnsupportedError{Method: m, Action: action}
	for _, other := range methods {
		if other != m && Supports(other, action) {
			e.Instead = append(e.Instead, other)
		}
	}
	return e
}
