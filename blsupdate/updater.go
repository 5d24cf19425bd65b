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

// An Updater is a model that learns rows in batches of any size. Only this package implements Updater.
// It is not safe for concurrent use. AddInputsContext and RebuildContext stop when their context is
// done. The other methods with a context check it only before they start.
//
// The weights solve the ridge problem over all rows,
//
//	W = argmin Σ_i w_i ‖a_i W - y_i‖² + lambda ‖W‖²,
//
// where w_i is 1 unless AddInputsContext or Forget changed it. For lambda > 0 Original and Improved
// only approximate the solution; see Options.Lambda.
//
//	reads/writes: no method changes or keeps a matrix that it is given.
//	NaN/Inf: a *NotFiniteError.
//	errors: after an error every bit of the state is unchanged. An *UnsupportedError names the
//	methods that can do what this one cannot; Supports reports this beforehand. A *MemoryError comes
//	before any work, or in Original and Improved after the first products of a batch.
//	panics: if a context is nil, or a Backend panics. A Backend's panic may leave the state half
//	changed. Encode, Weights and all changes then return a *StateError; discard the model. Weights,
//	Condition and Encode leave the model unchanged when they panic.
type Updater interface {
	// AddInputs learns from q more samples: ax is q×k, ya is q×c.
	AddInputs(ax, ya *mat.Dense) error

	// AddInputsContext is AddInputs with weights: the squared error of row i counts weights[i]
	// times. Weights are finite and not negative; nil stands for ones. It adds row i and its
	// targets times sqrt(weights[i]); pass them to AddNodes with the same scaling.
	//
	// It checks ctx between steps until it overwrites the state, and between panels of rows. A
	// panel has 4096 rows in Gram and QR, and 16 to 4096 in Original and Improved. In the form
	// Small a panel has up to max(k/4, 64) rows in RidgeInverse and 4 to 64 in InverseCholesky. A
	// panel takes 0.1 TFLOP in Gram and 0.2 in QR for k = 5000. In Original and Improved, a QR
	// factorization of ax or D (l×q) checks ctx every 64 columns, or 256qk or 256ql flops. Other
	// factorizations and the last pass over A⁺ are not interrupted. With several panels and a
	// cancelable ctx, Gram, QR and InverseCholesky work on a copy. Results do not depend on ctx.
	AddInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error

	// RemoveInputs unlearns q samples: ax is q×k, ya is q×c, exactly as they were added, in any
	// order. Original and Improved remember their rows: they return an *UnknownRowError for a row
	// that they do not have, and a *ForgottenRowsError after Forget. Of several samples with the
	// same bits they remove the first. The other methods subtract what they are given.
	//
	// It returns a *LeverageError if the remaining rows would hardly determine the weights; then
	// use Rebuild. (Without a ridge, methods other than Original and Improved need as many samples
	// as nodes.) It returns a *ConditionError if the state is too ill-conditioned to tell. Original
	// and Improved with a ridge return a *RankError if fewer samples than nodes would be left
	// (unless C is CZero).
	RemoveInputs(ax, ya *mat.Dense) error

	// RemoveInputsContext is RemoveInputs for rows that were added with weights.
	RemoveInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error

	// Rebuild starts the model again, as New does, from the given rows: a is A, l×k, and y is Y,
	// l×c. It keeps the options, the current lambda and the numbers of nodes and targets, and drops
	// the rounding errors of earlier changes. Use it with the remaining rows if RemoveInputs
	// returns a *LeverageError, for instance for an outlier that leaves a window. Pass rows and
	// targets times the square roots of their weights; Statistics counts each as a row of weight 1.
	// It returns the errors of New.
	Rebuild(a, y *mat.Dense) error
	RebuildContext(ctx context.Context, a, y *mat.Dense) error

	// Forget multiplies the weights of all rows, and lambda, by factor, 0 < factor <= 1. W does
	// not change. For exponential forgetting, call it before each AddInputs. SetLambda restores
	// the ridge. Forget scales the rows and targets in the model by sqrt(factor): pass them to
	// AddNodes and Rebuild with this scaling, but to RemoveInputsContext unscaled, with their
	// weights times factor.
	Forget(factor float64) error

	// AddNodes appends p nodes, the columns of H, to the model. a is A, l×k, h is l×p, and y is Y,
	// l×c, for all samples, each row scaled as in the model. Original and Improved require the rows
	// bit for bit in the order in which they were added, and return an *UnknownRowError for the
	// first row that differs. After Forget they accept any rows. For the other methods the order
	// does not matter.
	//
	// Original and Improved with a ridge return a *RankError if nodes would outnumber samples
	// (unless C is CZero). QR without a ridge returns one if they already do. QR and
	// InverseCholesky return a *ConditionError for κ above about 1e7, and RidgeInverse for κ above
	// 6e7: then restart with all nodes, by QR instead of RidgeInverse.
	AddNodes(a, h, y *mat.Dense) error
	AddNodesContext(ctx context.Context, a, h, y *mat.Dense) error

	// Merge learns all rows of other, which must have the same method and numbers of nodes and
	// targets, and is not changed. The ridge of the receiver stays; the ridge of other is dropped.
	// QR has to remove the ridge of other. It returns a *LeverageError if only that ridge
	// determines the result in some direction. A model with lambda = 0 can always be merged. A
	// model cannot be merged with itself: use Clone.
	Merge(other Updater) error
	MergeContext(ctx context.Context, other Updater) error

	// SetLambda changes the ridge, as if it had been lambda from the start. QR returns a
	// *LeverageError if only the removed part of the ridge determines W in some direction.
	SetLambda(lambda float64) error
	SetLambdaContext(ctx context.Context, lambda float64) error

	// AddTargets appends p targets that are linear combinations of the existing ones: Y becomes [Y,
	// Y T] and W becomes [W, W T] for the c×p matrix T. The model becomes the same as if it had
	// been started with these targets. For a class that no sample had, coded as -1, T is the
	// negative of the unit vector of a target that is 1 for all samples. Pass rows to RemoveInputs
	// and AddNodes with the new targets; Original and Improved require the bits of Y T as the
	// backend computes it. The cost is 2ckp flops, twice that in Gram and QR if W is known, and
	// 2clp more in Original and Improved.
	AddTargets(t *mat.Dense) error
	AddTargetsContext(ctx context.Context, t *mat.Dense) error

	// MapTargets replaces targets by their linear combinations: Y becomes Y T, and W becomes W T,
	// for the c×p matrix T. Otherwise it is like AddTargets. Use it to reorder or merge targets.
	MapTargets(t *mat.Dense) error
	MapTargetsContext(ctx context.Context, t *mat.Dense) error

	// Clone returns an independent model that gives bit-identical results. It takes the time of
	// Encode and Decode, and StateBytes of memory. As after Decode, the Report has no steps, flops
	// or times. It returns the errors of Encode, and a *MemoryError.
	Clone() (Updater, error)

	// Weights returns a copy of W, k×c. The prediction for rows X is X W. Gram and QR solve for W
	// in the first call after a change. They return a *RankError for fewer samples than nodes
	// without a ridge, and a *ConditionError if the nodes are linearly dependent to working
	// precision. Condition reports how many digits are correct.
	Weights() (*mat.Dense, error)
	WeightsContext(ctx context.Context) (*mat.Dense, error)

	// Statistics reports how well the weights fit the rows of the model. It uses sums of squares
	// that the model keeps, so it needs no rows. It takes O(kc) flops once the weights are known,
	// or O(lk) in Original and Improved. The first call after a change takes k³ more with a ridge,
	// 2k³ in RidgeInverse, and 2k²l more in Original and Improved.
	//
	// Statistics and the five methods below describe a linear model. They take the feature maps,
	// and the settings that package bls has chosen from the same rows, as given. The weight w_i of
	// a row means that its noise has the variance sigma²/w_i, so old rows count as noisier after
	// Forget. Original and Improved have statistics only without a ridge; with a ridge they return
	// ErrApproximate. All six return the errors of Weights. docs/evaluation.md has an example.
	Statistics() (Statistics, error)

	// Leverage returns the leverage h_i = x_i Q x_iᵀ of each row x_i of X, m×k. Q is (AᵀA + lambda
	// I)⁻¹, or (AᵀA)⁺ in Original and Improved. A leverage is large for rows unlike any sample, and
	// between 0 and 1 for the samples themselves. Leverage takes mk² flops, or 2mk² in
	// RidgeInverse. The first call after a change takes 2k²l more in Original and Improved. In Gram
	// it needs a factorization unless there is one.
	Leverage(x *mat.Dense) ([]float64, error)
	LeverageContext(ctx context.Context, x *mat.Dense) ([]float64, error)

	// LeaveOneOut predicts each of the given rows with the weights fitted to all other rows of the
	// model; x is m×k, y is m×c. The rows must be rows of the model, scaled as in the model. It
	// takes 2mkc flops more than Leverage. It returns a *LeverageError if a row alone determines
	// the weights in some direction, or may do so within the rounding error of h_i. That error is
	// at most 5 eps κ h_i, or 5 eps κ² h_i in Gram and RidgeInverse, in both cases times the factor
	// by which the bound on the errors of the state exceeds the bound for a new start. Removals of
	// rows that outweigh the others make this factor large. Rounding errors of the residuals grow
	// with 1/(1 - h_i).
	LeaveOneOut(x, y *mat.Dense) (LeaveOneOut, error)

	// LeaveOneOutContext is LeaveOneOut for rows that have weights.
	LeaveOneOutContext(ctx context.Context, x, y *mat.Dense, weights []float64) (LeaveOneOut, error)

	// Covariance returns V = Q - lambda Q² = Q AᵀA Q for the m given nodes, or all nodes if nodes
	// is nil. Element (a,b) belongs to nodes[a] and nodes[b]. The noise in the rows gives the
	// weights W_aj and W_bj of target j the covariance sigma_j² V_ab, where sigma_j² is
	// Statistics.Variance[j]. It takes 2mk² flops.
	Covariance(nodes []int) (*mat.SymPacked, error)

	// StandardErrors returns the m×c matrix of sigma_j sqrt(V_ii) for the m given nodes i, or all
	// nodes if nodes is nil, and all targets j. It takes mk² flops, or 2mk² in RidgeInverse, and
	// 2mk² more with a ridge.
	StandardErrors(nodes []int) (*mat.Dense, error)

	// PredictionVariance returns the m×c matrix of sigma_j² x_i V x_iᵀ for each row x_i of X, m×k,
	// and target j. This is the variance of the prediction x_i W_j due to the noise in the rows of
	// the model. The error of predicting a new target has this variance plus sigma_j². The
	// bias of a ridge is not included. It takes as many flops as StandardErrors.
	PredictionVariance(x *mat.Dense) (*mat.Dense, error)

	// Options returns the options that the model was started with. After Decode, Backend is the
	// argument of Decode.
	Options() Options

	Method() Method  // the algorithm that New was given
	Samples() int    // l, the number of rows in the model
	Nodes() int      // k, the number of columns of A
	Targets() int    // c, the number of columns of Y
	Lambda() float64 // the current ridge

	// Condition reports how accurate the weights are. It takes O(k²) flops, or O(lk) in Original
	// and Improved, and first solves for the weights if they are not known. After Forget and
	// Decode, which keep the weights but no factor, Gram also needs a factorization, k³/3 flops.
	Condition() Condition

	// Report returns the report of the last successful change or of the start, including any
	// solution for the weights since then.
	Report() Report

	driver() *updater
}

// A Pseudoinverter is an Updater, of the method Original or Improved, that gives access to A⁺.
type Pseudoinverter interface {
	Updater
	// Pseudoinverse returns a copy of A⁺, k×l.
	Pseudoinverse() *mat.Dense
}

// A Leverager is an Updater that computes leverages, as every Updater of this package does.
type Leverager interface {
	Updater
	Leverage(x *mat.Dense) ([]float64, error)
}

// A Refiner is an Updater, of the method Gram, that can improve its weights given all rows.
type Refiner interface {
	Updater

	// Refine corrects W twice by the solution for its residual,
	//
	//	W := W + (AᵀA + lambda I)⁻¹ (Aᵀ(Y - A W) - lambda W),
	//
	// where a, l×k, and y, l×c, are all rows of the model, scaled as in the model, in any order. It
	// reduces the error of W from eps κ² to eps κ for κ up to about 1e7, in 8lkc + 4ck² flops. The
	// refined W is valid until the model changes. It returns the errors of Weights and a
	// *ShapeError.
	//
	//	source: Björck, Numerical Methods for Least Squares Problems, section 2.9.
	Refine(a, y *mat.Dense) error
	RefineContext(ctx context.Context, a, y *mat.Dense) error
}

// New starts a model from the first l samples: a is A, l×k, and y is Y, l×c. It neither changes nor
// keeps a and y. For Original and Improved the result is a Pseudoinverter, for Gram a Refiner.
//
// A method that keeps an inverse starts from the Cholesky factor of AᵀA + lambda I if that is accurate
// enough for the method. Otherwise all but RidgeInverse start from a QR factorization of A. Original
// and Improved use a truncated SVD of A if its rank is below k. Gram and QR accept any rows.
//
//	errors: a *ShapeError, a *NotFiniteError or an *OptionError for bad arguments; a *MemoryError,
//	before any work, if there is less memory than StateBytes; a *RankError if the rows do not
//	determine the state: in Original and Improved with l < k and lambda > 0 (unless C is CZero), in
//	RidgeInverse and InverseCholesky with l < k and lambda = 0; a *ConditionError if A is too
//	ill-conditioned for the method; ErrOverflow; ErrNoConvergence in Original and Improved.
func New(m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	return NewContext(background, m, a, y, opt)
}

// NewContext is like New but stops when ctx is done, with an error that wraps context.Cause(ctx). It
// checks ctx between steps, and between panels of 4096 rows in sums over all rows.
func NewContext(ctx context.Context, m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	if err := cmp.Or(checkOptions(m, opt), interrupt.Check(ctx)); err != nil {
		return nil, err
	}
	u := newUpdater(m, opt, 0, 0) // the sizes are set once they are checked
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

// emptyState returns an empty state of m, of a type that implements only the optional actions of m.
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
// embeds an Updater, since Encode would lose what that type adds.
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
