package blsupdate

import "fmt"

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
func forgottenRows(m Method) error {
	e := &ForgottenRowsError{Method: m}
	for _, other := range methods {
		if other != Original && other != Improved {
			e.Instead = append(e.Instead, other)
		}
	}
	return e
}
