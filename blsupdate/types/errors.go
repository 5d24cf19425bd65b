package types

import (
	"errors"
	"fmt"

	"blskernel/internal/io/names"
	"blskernel/lapack"
)

// ErrOverflow is returned if a result or an intermediate value overflows although the input is finite.
var ErrOverflow = errors.New("blsupdate: numbers overflow: scale the inputs, the targets or the weights, or forget less")

// ErrApproximate is returned for statistics of Original and Improved with a ridge. Their W only
// approximates the ridge solution, and A A⁺ is not symmetric.
var ErrApproximate = errors.New("blsupdate: original and improved with a ridge have no statistics, since they only approximate the ridge solution: set Lambda to 0, or start the model with qr or gram")

// LeastRest is the smallest 1 - h at which rows are removed, where h is the leverage of the rows. The
// relative error of a removal is about 10 eps/(1-h), and 100 eps/(1-h) in Gram.
const LeastRest = 1e-8

// A ConditionError reports that a matrix is too ill-conditioned for an accurate result. No result is
// returned and the state is unchanged; a lapack.ConditionError, by contrast, comes with a result.
type ConditionError struct {
	What  string  // the ill-conditioned matrix
	RCond float64 // an estimate of its reciprocal condition number; 0 if unknown or singular
	Err   error   // the error of the factorization, or nil

	Instead []Method // methods that may still succeed
	Batches bool     // whether smaller batches in the form Small may still succeed
}

func (e *ConditionError) Error() string {
	cause := fmt.Sprintf("reciprocal condition number %.1g", e.RCond)
	var pivot *lapack.PivotError
	if errors.As(e.Err, &pivot) { // its own advice is for callers of lapack
		cause = fmt.Sprintf("pivot %d is %.3g", pivot.Index, pivot.Pivot)
	} else if e.Err != nil {
		cause = e.Err.Error()
	}
	advice := "use a larger ridge, scale the columns, add rows, or drop nodes that are nearly linear combinations of others"
	if len(e.Instead) > 0 {
		advice = fmt.Sprintf("use a larger ridge, scale the columns, or use the method %s", names.Alternatives(e.Instead))
	} else if e.Batches {
		advice = "scale the columns, start from more rows, add smaller batches with the form Small, or use a larger ridge"
	}
	return fmt.Sprintf("blsupdate: %s is too ill-conditioned (%s): %s", e.What, cause, advice)
}

func (e *ConditionError) Unwrap() error { return e.Err }

// A RankError reports that there are fewer samples than nodes. Without a ridge, these samples do not
// determine the weights. Original and Improved return it only with a ridge, since the model could then
// never leave the row space of the first samples.
type RankError struct {
	Samples, Nodes int
	Lambda         float64
	Running        bool // whether the model exists, so that rows can be added
}

func (e *RankError) Error() string {
	advice := "for %d nodes without a ridge: give at least as many samples as nodes, set Lambda above 0, or use the method improved, which works with any number of samples"
	switch {
	case e.Lambda > 0 && e.Running:
		return fmt.Sprintf("blsupdate: the change would leave too few samples (%d) for %d nodes with lambda > 0: "+
			"keep at least as many samples as nodes, or start a new model with gram or qr", e.Samples, e.Nodes)
	case e.Lambda > 0:
		advice = "for %d nodes with lambda > 0: start with at least as many samples as nodes, or set Lambda to 0 for the exact pseudoinverse"
	case e.Running:
		advice = "to determine the weights of %d nodes without a ridge: add rows first, or call SetLambda with a positive ridge"
	}
	return fmt.Sprintf("blsupdate: too few samples (%d) "+advice, e.Samples, e.Nodes)
}

// A LeverageError reports that rows, or a part of the ridge, cannot be removed or left out. In some
// direction the other data contribute less than 1e-8 of the information, or only rounding errors, so
// the remaining weights would have no correct digits in that direction.
type LeverageError struct {
	// Rest is the computed 1 - h, or 0 if that is not known. h is the largest eigenvalue of Ax (AᵀA
	// + lambda I)⁻¹ Axᵀ. For a ridge, Ax is I times the square root of the removed part.
	Rest  float64
	Least float64 // the smallest Rest that would be accepted, or 0 if it is not known

	// Action is ActionRemove; ActionRidge or ActionMerge if a ridge is removed; or ActionWeights
	// for LeaveOneOut, which removes nothing.
	Action Action

	// TooFew means that too few samples would be left to determine the weights: none or, without a
	// ridge, fewer than nodes in methods other than Original and Improved.
	TooFew bool
}

func (e *LeverageError) Error() string {
	what, advice := "the rows to be removed", "call Rebuild with the rows that remain, or in gram and qr raise lambda"
	switch {
	case e.TooFew:
		advice = "keep some samples (without a ridge, only improved and original work with fewer than nodes), raise lambda in gram and qr, or start a new model with a ridge"
	case e.Action == ActionRidge:
		what, advice = "the part of the ridge to be removed", "remove less of it, or add rows first"
	case e.Action == ActionMerge:
		what, advice = "the ridge of the other model", "give the receiver a ridge, or start the other model without one"
	case e.Action == ActionWeights:
		what, advice = "this row", "leave it out of X, or use a larger ridge"
	}
	rest := fmt.Sprintf("1 - leverage is %.1g", e.Rest)
	if e.Least > LeastRest {
		rest += fmt.Sprintf("; below %.1g it may be only rounding error at this condition number", e.Least)
	}
	return fmt.Sprintf("blsupdate: in some direction the model is determined only by %s (%s): %s", what, rest, advice)
}

// An UnknownRowError reports that Original or Improved does not have a sample given to RemoveInputs.
// From AddNodes it reports a sample that is not the model's sample at that position. Original and
// Improved compare samples and targets bit for bit.
type UnknownRowError struct {
	Row    int    // the first such row of Ax or A, from 0
	Action Action // ActionRemove or ActionNodes
}

func (e *UnknownRowError) Error() string {
	if e.Action == ActionNodes {
		return fmt.Sprintf("blsupdate: row %d of A with its targets is not the sample that the model has at that position: give the samples in the order in which they were added, bit for bit the same, times the square roots of their weights", e.Row)
	}
	return fmt.Sprintf("blsupdate: row %d of the rows to remove was never added with these targets, or was already removed: give it bit for bit as it was added, with the same weight", e.Row)
}

// A ForgottenRowsError reports that Original and Improved cannot remove rows after Forget. Forget
// scales all rows, so their bits are unknown until AddNodes, which gets all rows, records them.
type ForgottenRowsError struct {
	Method  Method
	Instead []Method // methods that remove rows after Forget
}

func (e *ForgottenRowsError) Error() string {
	return fmt.Sprintf("blsupdate: %v cannot remove rows after Forget; call AddNodes with all rows first, or use %s",
		e.Method, names.Alternatives(e.Instead))
}
