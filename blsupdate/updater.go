package blsupdate

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/gram"
	"blskernel/blsupdate/internal/pinv"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"
)

// An Updater owns a model and takes rows in batches of any size. It is not safe for concurrent use.
//
// The weights are those of the ridge problem over all rows it has,
//
//	W = argmin Σ_i w_i ‖a_i W - y_i‖² + lambda ‖W‖²,
//
// where w_i is 1 unless AddWeightedInputs or Forget made it something else, with the reservation that
// Original and Improved make for lambda > 0 (see Options.Lambda).
//
// No method changes or keeps a matrix that it is given. After an error (wrong shapes, NaN or Inf, overflow,
// a condition that leaves no digits, something that the method cannot do) every bit of the state is what it was.
// What a method cannot do is an *UnsupportedError that names the methods that can; Supports tells beforehand.
// Work for which there is no memory is a *MemoryError before it begins.
//
// A panic, which no call above is meant to raise but a Backend may, leaves the state half changed where it stops a call
// that changes it, since products are added in place. Such a model is to be dropped: from then on Encode, Weights and
// what changes the model return a *StateError. Weights, Condition and Encode leave the model as it was when they panic.
type Updater interface {
	// AddInputs learns from q more samples: ax is q×k, ya is q×c.
	AddInputs(ax, ya *mat.Dense) error

	// AddInputsContext is AddInputs until ctx is done: then it returns an error that wraps context.Cause(ctx), and every
	// bit of the state is what it was. It looks between steps as long as nothing of the state is overwritten, and between
	// panels of rows where there are more than one; the package comment has their sizes and what is not interrupted.
	// Where ctx can be done at all, a panel that would be added in place is added to a copy of the state. What it computes
	// does not depend on ctx. RemoveInputs, AddNodes, Merge, SetLambda, Forget, Weights and Condition take no context and
	// go to their end.
	AddInputsContext(ctx context.Context, ax, ya *mat.Dense) error

	// AddWeightedInputs is AddInputs where the squared error of row i counts weights[i] times. There are q
	// weights, finite and not negative. To the model it is AddInputs of the rows and their targets
	// multiplied by sqrt(weights[i]), and so they have to be given to RemoveInputs and AddNodes.
	AddWeightedInputs(ax, ya *mat.Dense, weights []float64) error

	// AddWeightedInputsContext is AddWeightedInputs until ctx is done, as AddInputsContext is AddInputs.
	AddWeightedInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error

	// RemoveInputs unlearns q samples that were added before: ax is q×k, ya is q×c, exactly as the model has
	// them, in any order. Only Original and Improved can tell rows that were never added, which are then an
	// *UnknownRowError, and after Forget they return a *ForgottenRowsError; the others subtract what they are
	// given. Of samples that are the same to the bit these two remove the first. It returns a *LeverageError where the
	// rest would not determine the weights: where the rows are all that is known in some direction, the
	// information is not there any more for any method. It is a *ConditionError where the state is too
	// ill-conditioned to tell.
	RemoveInputs(ax, ya *mat.Dense) error

	// Forget multiplies the weight of all that was learned by factor, 0 < factor <= 1, the ridge included:
	// lambda becomes factor lambda. It is exponential forgetting when it is called before each AddInputs.
	// W stays what it is. Where the ridge is to stay as well, SetLambda sets it back. To the model the rows
	// and targets it has are now multiplied by sqrt(factor), and so they have to be given to RemoveInputs and
	// AddNodes.
	Forget(factor float64) error

	// AddNodes widens the model by p nodes, the columns of H, which come after the others: a is A, l×k, h is
	// H, l×p, and y is Y, l×c, for all the samples that the model has, each row as the model has it. For
	// Original and Improved they are in the order in which they were added, without those that were removed,
	// and bit for bit the same, or it is an *UnknownRowError that names the first row that is not the one they
	// have; after Forget they take what they are given, and know it again from then on. For the others the order
	// does not matter. QR and InverseCholesky return a *ConditionError beyond a condition number of about 1e7, and
	// QR a *RankError for too few samples: start a new model with all nodes.
	AddNodes(a, h, y *mat.Dense) error

	// Merge learns what other, which has the same method, nodes and targets, has learned: all its rows with
	// their targets. Its ridge is left out; that of the receiver stays. other is not changed. QR has to take the
	// ridge of other off again, which is a *LeverageError where that is all there is in some direction; shards
	// that were started with lambda = 0 merge always. A model cannot be merged with itself.
	Merge(other Updater) error

	// SetLambda changes the ridge, as if it had been lambda from the start.
	SetLambda(lambda float64) error

	// Weights returns a copy of W, k×c: the prediction for rows X is X W. Gram and QR solve for it when it is
	// first wanted after a change, and return a *RankError if there are fewer samples than nodes and no
	// ridge, and a *ConditionError if the nodes are dependent to working precision. Short of that Condition
	// says how many digits are right.
	Weights() (*mat.Dense, error)

	// Options returns the options that the model was started with; Lambda is the ridge as it is now. With Decode, Backend
	// is the one that it was given.
	Options() Options

	// Method returns the method, Samples, Nodes and Targets l, k and c, and Lambda the ridge.
	Method() Method
	Samples() int
	Nodes() int
	Targets() int
	Lambda() float64

	// Condition says how far the weights can be trusted. It takes O(k²) flops, O(lk) for Original and
	// Improved, and the solution for the weights where that is still to be done.
	Condition() Condition

	// Report says what the last successful call that changed the model took, and the solution for the
	// weights if they have been asked for since; at first that is the start.
	Report() Report
}

// New starts a model from the first l samples: a is A, l×k, and y is Y, l×c. Neither is changed or
// kept. The result of Original and Improved implements Pseudoinverter, that of
// RidgeInverse and InverseCholesky Leverager, that of Gram Refiner.
//
// Where the method keeps an inverse, the start is by the Cholesky factor of AᵀA + lambda I if its condition
// allows the method's accuracy, else by a QR factorization of A; Original and Improved take the singular
// values of an A of rank below k. Report says which. It returns an error if a or y has no rows, wrong
// shapes, NaN or Inf; if an option is out of range; a *MemoryError, before anything is computed, if there is less memory
// than StateBytes; a *RankError if the rows do not determine the state:
// for Original and Improved with l < k and lambda > 0 (and C not CZero), for RidgeInverse and
// InverseCholesky with l < k and lambda = 0; and a *ConditionError if A is too ill-conditioned for it.
// Gram and QR start from any rows.
func New(m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	return NewContext(context.Background(), m, a, y, opt)
}

// NewContext is New until ctx is done: then it returns an error that wraps context.Cause(ctx). It looks between steps,
// and between the panels of 4096 rows of a sum over all rows.
func NewContext(ctx context.Context, m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	if err := api.CheckOptions(opt, m); err != nil {
		return nil, err
	}
	u := &updater{method: m, counter: NewCounter(opt.Backend)}
	u.begin()
	if err := checkPair("A", a, 0, "Y", y, 0); err != nil {
		return nil, err
	}
	l, k := a.Dims()
	_, c := y.Dims()
	if err := CheckStart(m, opt, l, k); err != nil {
		return nil, err
	}
	if err := checkStartMemory(m, l, k, c); err != nil {
		return nil, err
	}
	u.samples = l
	s, d, err := newState(ctx, m, state.Base{Counter: u.counter, Options: opt, K: k, C: c, Lambda: opt.Lambda}, a, y)
	if err != nil {
		return nil, err
	}
	u.state = s
	u.account(d, Report{Added: l, Start: d.Start})
	return wrap(u), nil
}

// wrap returns u with the methods that only its state has.
func wrap(u *updater) Updater {
	switch s := u.state.(type) {
	case *pinv.State:
		return pseudoinverter{u, s}
	case state.Leverager:
		return leverager{u, s}
	case state.Refiner:
		return refiner{u, s}
	default:
		return u
	}
}

// newState starts the state of the method, for which CheckStart has nothing against the rows.
func newState(ctx context.Context, m Method, base state.Base, a, y *mat.Dense) (state.State, state.Outcome, error) {
	switch m {
	case RidgeInverse:
		return ridge.Start(ctx, base, a, y)
	case InverseCholesky:
		return cholesky.Start(ctx, base, a, y)
	case Gram:
		return gram.Start(ctx, base, a, y)
	case QR:
		return qr.Start(ctx, base, a, y)
	default:
		return pinv.Start(ctx, m, base, a, y)
	}
}
