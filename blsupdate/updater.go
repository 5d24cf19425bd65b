package blsupdate

import (
	"cmp"
	"context"

	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/gram"
	"blskernel/blsupdate/internal/pseudoinverse"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/interrupt"
	"blskernel/mat"
)

// An Updater owns a model and takes rows in batches of any size. Only this package implements it. It is
// not safe for concurrent use. AddInputsContext stops when its context is done; every other method
// NameContext is Name that checks its context before it starts.
//
// The weights solve the ridge problem over all rows,
//
//	W = argmin Σ_i w_i ‖a_i W - y_i‖² + lambda ‖W‖²,
//
// where w_i is 1 unless AddInputsContext or Forget changed it. For lambda > 0 Original and Improved
// approximate it, see Options.Lambda.
//
//	reads/writes: no method changes or keeps a matrix that it is given.
//	NaN/Inf: a *NotFiniteError.
//	errors: after an error every bit of the state is unchanged. An *UnsupportedError names the
//	methods that can do what this one cannot; Supports reports it beforehand. A *MemoryError comes
//	before any work, except where Original or Improved divide a batch after its first products.
//	panics: only where a Backend does. A panic may leave the state half changed. Then Encode,
//	Weights and all changes return a *StateError; drop the model. Weights, Condition and Encode
//	leave the model unchanged when they panic.
type Updater interface {
	// AddInputs learns from q more samples: ax is q×k, ya is q×c.
	AddInputs(ax, ya *mat.Dense) error

	// AddInputsContext is AddInputs where the squared error of row i counts weights[i] times,
	// finite and not negative; nil stands for ones. It adds the rows and targets times
	// sqrt(weights[i]); pass them scaled like this to AddNodes.
	//
	// It checks ctx between steps until it overwrites the state, and between panels of rows:
	// 4096 in Gram and QR, 16 to 4096 in Original and Improved; in the form Small k/4 in
	// RidgeInverse and 4 to 64 in InverseCholesky. With k = 5000 a panel takes 0.1 TFLOP in Gram
	// and 0.2 in QR. A QR factorization of all rows in Original and Improved checks it every 64
	// columns, 256qk flops. Other factorizations and the last pass over A⁺ are not interrupted. For
	// more rows than a panel, and a ctx that can be done, Gram, QR and InverseCholesky work on a
	// copy of the state. Results do not depend on ctx.
	AddInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error

	// RemoveInputs unlearns q samples: ax is q×k, ya is q×c, exactly as they were added, in any
	// order. Original and Improved know their rows: they return an *UnknownRowError for others, a
	// *ForgottenRowsError after Forget, and remove the first of samples with the same bits. The
	// other methods subtract what they are given.
	//
	// It returns a *LeverageError where the other rows would hardly determine the weights, for
	// which Rebuild is the remedy, and a *ConditionError where the state is too ill-conditioned
	// to tell. Original and Improved with a ridge return a *RankError where fewer samples than
	// nodes would be left (unless C is CZero).
	RemoveInputs(ax, ya *mat.Dense) error

	// RemoveInputsContext is RemoveInputs of rows that were added with weights.
	RemoveInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error

	// Rebuild starts the model again, as New does, from all of its rows: a is A, l×k, and y is Y,
	// l×c. It keeps nodes, targets, options and the present lambda, and drops the errors of earlier
	// changes. Use it with the remaining rows if RemoveInputs returns a *LeverageError, for
	// instance for an outlier that leaves a window. Give rows and targets times the roots of their
	// weights; Statistics counts each as a row of weight 1. It returns the errors of New.
	Rebuild(a, y *mat.Dense) error
	RebuildContext(ctx context.Context, a, y *mat.Dense) error

	// Forget multiplies the weight of all rows, and lambda, by factor, 0 < factor <= 1. W stays.
	// Before each AddInputs it gives exponential forgetting. SetLambda restores the ridge.
	// Afterwards the model has its rows and targets times sqrt(factor): scale them like this for
	// RemoveInputs and AddNodes.
	Forget(factor float64) error

	// AddNodes appends p nodes, the columns of H, to the model: a is A, l×k, h is l×p, and y is Y,
	// l×c, for all samples, each row scaled as in the model. Original and Improved require the
	// order in which rows were added, and the same bits, and return an *UnknownRowError for the
	// first other row. After Forget they accept any rows. For the other methods the order does not
	// matter.
	//
	// Original and Improved with a ridge return a *RankError where there would be fewer samples
	// than nodes (unless C is CZero), and QR without a ridge where there are now. QR and
	// InverseCholesky return a *ConditionError above κ of about 1e7: start a new model with all
	// nodes.
	AddNodes(a, h, y *mat.Dense) error
	AddNodesContext(ctx context.Context, a, h, y *mat.Dense) error

	// Merge learns all rows of other, which has the same method, nodes and targets, and does not
	// change it. The ridge of the receiver stays; the ridge of other is left out. QR has to remove
	// the ridge of other, and returns a *LeverageError if only the ridge determines other in some
	// direction; states started with lambda = 0 always merge. A model cannot be merged with itself:
	// use Clone.
	Merge(other Updater) error
	MergeContext(ctx context.Context, other Updater) error

	// SetLambda changes the ridge, as if it had been lambda from the start.
	SetLambda(lambda float64) error
	SetLambdaContext(ctx context.Context, lambda float64) error

	// AddTargets appends p targets that are linear in the present ones: Y becomes [Y, Y T] and W
	// becomes [W, W T], for the c×p T. The model is as if started with these targets: a class that
	// no sample had is the negative of a target that is 1 for all samples, and T the negative of a
	// unit vector. Rows that are removed, or given to AddNodes, have Y as it is now; Original and
	// Improved require its bits, as the backend computes Y T. It takes 2ckp flops, twice as many in
	// Gram and QR where W is known, and 2clp more in Original and Improved.
	AddTargets(t *mat.Dense) error
	AddTargetsContext(ctx context.Context, t *mat.Dense) error

	// MapTargets replaces the targets by linear combinations of them: Y becomes Y T and W becomes
	// W T, for the c×p T. Otherwise it is like AddTargets. Use it to reorder or merge targets.
	MapTargets(t *mat.Dense) error
	MapTargetsContext(ctx context.Context, t *mat.Dense) error

	// Clone returns an independent model that continues with the same bits. It takes the time of
	// Encode and Decode, and StateBytes of memory. As after Decode the Report has no steps, flops
	// and times. It returns the errors of Encode, and a *MemoryError.
	Clone() (Updater, error)

	// Weights returns a copy of W, k×c. The prediction for rows X is X W. Gram and QR solve for W
	// at the first call after a change. They return a *RankError for fewer samples than nodes
	// without a ridge, and a *ConditionError where the nodes are dependent to working precision.
	// Condition says how many digits are right.
	Weights() (*mat.Dense, error)
	WeightsContext(ctx context.Context) (*mat.Dense, error)

	// Statistics says how well the weights fit the rows of the model, by the sums of squares that
	// it keeps: no row is needed. It takes O(kc) once the weights are known, and once for a state
	// 2k³ flops with a ridge, and 2k²l in Original and Improved.
	//
	// Statistics and the five methods below describe a linear model: feature maps, and what package
	// bls has chosen by the same rows, are held fixed. The weight w_i of a row says that its noise
	// has the variance sigma²/w_i. After Forget, old rows are noisier rows. Original and Improved
	// have statistics without a ridge only, and return ErrApproximate with one. All return the
	// errors of Weights. docs/evaluation.md has an example.
	Statistics() (Statistics, error)

	// Leverage returns the leverage h_i = x_i Q x_iᵀ of each row x_i of X, m×k, where Q is
	// (AᵀA + lambda I)⁻¹, in Original and Improved (AᵀA)⁺. It is large for rows that are unlike all
	// samples, and between 0 and 1 for each sample. It takes mk² flops, 2mk² in RidgeInverse, and
	// first a factorization where Gram has none, and 2k²l flops in Original and Improved.
	Leverage(x *mat.Dense) ([]float64, error)
	LeverageContext(ctx context.Context, x *mat.Dense) ([]float64, error)

	// LeaveOneOut predicts each of the given rows, x is m×k and y is m×c, by the weights that all
	// other rows of the model give. The rows are rows of the model, as it has them. It takes 2mkc
	// flops more than Leverage. It returns a *LeverageError where a row determines the weights in
	// some direction alone. Rounding errors grow with 1/(1 - h_i).
	LeaveOneOut(x, y *mat.Dense) (LeaveOneOut, error)

	// LeaveOneOutContext is LeaveOneOut of rows that have weights.
	LeaveOneOutContext(ctx context.Context, x, y *mat.Dense, weights []float64) (LeaveOneOut, error)

	// Covariance returns V = Q - lambda Q² = Q AᵀA Q for the m given nodes, all for nil: element
	// (a,b) belongs to nodes[a] and nodes[b]. The noise in the rows gives the weights W_aj and W_bj
	// of target j the covariance sigma_j² V_ab, where sigma_j² is Statistics.Variance[j]. It takes
	// 2mk² flops.
	Covariance(nodes []int) (*mat.SymPacked, error)

	// StandardErrors returns sigma_j sqrt(V_ii) for the given nodes i, all for nil, and all targets
	// j, m×c. It takes mk² flops, and 2mk² more with a ridge.
	StandardErrors(nodes []int) (*mat.Dense, error)

	// PredictionVariance returns sigma_j² x_i V x_iᵀ for each row of X, m×k, and target j: the
	// variance of the prediction x_i W by the noise in the rows of the model, m×c. A new target
	// differs from its prediction with this variance and sigma_j². The bias of a ridge is not in
	// it. It takes the flops of StandardErrors.
	PredictionVariance(x *mat.Dense) (*mat.Dense, error)

	// Options returns the options of the start. With Decode, Backend is the one that it was given.
	Options() Options

	Method() Method  // the method
	Samples() int    // l
	Nodes() int      // k
	Targets() int    // c
	Lambda() float64 // the ridge as it is now

	// Condition says how accurate the weights are. It takes O(k²) flops, O(lk) in Original and
	// Improved, and the solution for the weights if that is not known. In Gram it also takes a
	// factorization, k³/3 flops, after Forget and Decode, which keep the weights but no factor.
	Condition() Condition

	// Report returns the report of the last successful change or of the start, with the solution
	// for the weights since then.
	Report() Report

	driver() *updater
}

// A Pseudoinverter is an Updater with A⁺ itself, of the method Original or Improved.
type Pseudoinverter interface {
	Updater
	// Pseudoinverse returns a copy of A⁺, k×l.
	Pseudoinverse() *mat.Dense
}

// A Leverager is an Updater with leverages, as all are.
type Leverager interface {
	Updater
	Leverage(x *mat.Dense) ([]float64, error)
}

// A Refiner is an Updater, of the method Gram, that can improve its weights with all rows.
type Refiner interface {
	Updater

	// Refine corrects W twice by the solution for its residual,
	//
	//	W := W + (AᵀA + lambda I)⁻¹ (Aᵀ(Y - A W) - lambda W),
	//
	// where a, l×k, and y, l×c, are all rows of the model, in any order. It takes the error of W
	// from eps κ² to eps κ for κ up to about 1e7, in 8lkc + 4ck² flops. W is valid until the model
	// changes. It returns the errors of Weights and a *ShapeError.
	//
	//	source: Björck, Numerical Methods for Least Squares Problems, section 2.9.
	Refine(a, y *mat.Dense) error
	RefineContext(ctx context.Context, a, y *mat.Dense) error
}

// New starts a model from the first l samples: a is A, l×k, and y is Y, l×c. It neither changes nor
// keeps them. The result of Original and Improved is a Pseudoinverter, the result of Gram a Refiner.
//
// A method that keeps an inverse starts from the Cholesky factor of AᵀA + lambda I if its condition
// allows the accuracy of the method, else from a QR factorization of A. Original and Improved use the
// singular values of an A of rank below k. Gram and QR start from any rows.
//
//	errors: a *ShapeError, a *NotFiniteError or an *OptionError for bad arguments; a *MemoryError,
//	before any work, where there is less memory than StateBytes; a *RankError where the rows do not
//	determine the state: in Original and Improved with l < k and lambda > 0 (unless C is CZero), in
//	RidgeInverse and InverseCholesky with l < k and lambda = 0; a *ConditionError where A is too
//	ill-conditioned for the method.
func New(m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	return NewContext(background, m, a, y, opt)
}

// NewContext is New until ctx is done. Then it returns an error that wraps context.Cause(ctx). It
// checks ctx between steps, and between panels of 4096 rows in sums over all rows.
func NewContext(ctx context.Context, m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	if err := cmp.Or(checkOptions(m, opt), interrupt.Check(ctx)); err != nil {
		return nil, err
	}
	u := newUpdater(m, opt, 0, 0) // the sizes follow their check
	u.startClock()
	if _, err := checkPair("A", a, -1, 0, "Y", y, 0); err != nil {
		return nil, err
	}
	base := u.state.Common()
	base.Samples, base.K = a.Dims()
	base.C = dense.Cols(y)
	if err := CheckStart(m, opt, base.Samples, base.K); err != nil {
		return nil, err
	}
	if err := checkMemory(m, base.Samples, base.K, base.C, 0); err != nil {
		return nil, err
	}
	out, err := u.state.Start(ctx, a, y)
	if err != nil {
		return nil, err
	}
	base.Sums = base.Sums.Started(y)
	u.account(out, Report{Added: base.Samples, Start: out.Start})
	return wrap(u), nil
}

func newUpdater(m Method, opt Options, k, c int) *updater {
	counter := cost.NewCounter(opt.Backend)
	s := emptyState(m, opt)
	base := s.Common()
	base.Counter, base.K, base.C = counter, k, c
	return &updater{method: m, counter: counter, state: s}
}

// emptyState returns an empty state of the method, which knows the actions of the method.
func emptyState(m Method, opt Options) state.State {
	base := state.Base{Method: m, Options: opt, Lambda: opt.Lambda}
	switch m {
	case RidgeInverse:
		return &ridge.State{Inverse: state.Inverse{Base: base}}
	case InverseCholesky:
		return &cholesky.State{Inverse: state.Inverse{Base: base}}
	case Gram:
		return &gram.State{Base: base}
	case QR:
		return &qr.State{Base: base}
	default:
		return &pseudoinverse.State{Base: base}
	}
}

func wrap(u *updater) Updater {
	switch u.state.(type) {
	case state.Pseudoinverter:
		return pseudoinverter{u}
	case state.Refiner:
		return refiner{u}
	default:
		return u
	}
}

// driverOf is the inverse of wrap. It returns nil for nil, and for a type of another package that
// embeds an Updater: what that type adds would not be encoded.
func driverOf(u Updater) *updater {
	switch u.(type) {
	case *updater, pseudoinverter, refiner:
		return u.driver()
	}
	return nil
}

type (
	pseudoinverter struct{ *updater } // an updater with A⁺
	refiner        struct{ *updater } // an updater that can refine its weights
)

func (u pseudoinverter) Pseudoinverse() *mat.Dense {
	return u.state.(state.Pseudoinverter).Pseudoinverse()
}

func (u refiner) Refine(a, y *mat.Dense) error { return u.RefineContext(background, a, y) }

func (u refiner) RefineContext(ctx context.Context, a, y *mat.Dense) error {
	u.startClock()
	if _, err := checkPair("A", a, u.Samples(), u.Nodes(), "Y", y, u.Targets()); err != nil {
		return err
	}
	return u.run(ctx, 0, 0, func() (state.Outcome, error) { return u.state.(state.Refiner).Refine(a, y) }, nil)
}
