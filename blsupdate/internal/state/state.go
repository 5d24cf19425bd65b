// Package state has the code that the methods share: the interface State, starts, borders, estimates
// and limits.
package state

import (
	"context"
	"errors"
	"strings"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A State holds the data of a method and implements its changes. Arguments have been checked and are
// finite; a State neither changes nor keeps them. After an error it is unchanged.
type State interface {
	// Common returns the part that every state has.
	Common() *Base
	// CheckSize returns a *RankError if a state cannot have l samples and k nodes. It reads only
	// the method and the options.
	CheckSize(l, k int) error
	// Start fills an empty state from the rows A and Y. After an error the state is unusable.
	Start(ctx context.Context, a, y *mat.Dense) (Outcome, error)
	// Add adds the rows ax with targets ya. It checks ctx between steps until it overwrites the
	// state.
	Add(ctx context.Context, ax, ya *mat.Dense) (Outcome, error)
	// Remove removes the rows ax with targets ya.
	Remove(ax, ya *mat.Dense) (Outcome, error)
	// Forget multiplies the weights of all rows, and the ridge, by factor, which is below 1.
	Forget(factor float64) error
	// AddNodes appends the columns H to A; a and y hold all rows.
	AddNodes(a, h, y *mat.Dense) (Outcome, error)
	// MapTargets replaces Y by Y T, or appends Y T to it if keep is set. T has c rows.
	MapTargets(t *mat.Dense, keep bool) (Outcome, error)
	// Weights returns W in the storage of the state, and the steps that solved for it.
	Weights() (*mat.Dense, Outcome, error)
	// RSS returns ‖y - A w‖² + lambda ‖w‖² of each target for the W of Weights, or Unknown. Below
	// least, LeastErrors times a bound on its error, an RSS is not known.
	RSS(w *mat.Dense) (rss, least []float64)
	// Covariance returns (AᵀA + lambda I)⁻¹, or (AᵀA)⁺ in Original and Improved without a ridge.
	Covariance() (Covariance, error)
	// Condition reports how accurate W is. It does not change the state.
	Condition() Condition
	// Code writes or reads everything that later results depend on, after the Base.
	Code(x *codec.Coder)
}

// A Pseudoinverter is a State that keeps A⁺. Pseudoinverse returns a copy.
type Pseudoinverter interface {
	Pseudoinverse() *mat.Dense
}

// A Merger is a State that can merge with another State of its type.
type Merger interface {
	Merge(other State) (Outcome, error)
}

// A Ridger is a State that can change its ridge.
type Ridger interface {
	SetLambda(lambda float64) (Outcome, error)
}

// A Refiner is a State that can make its weights more accurate given all rows.
type Refiner interface {
	Refine(a, y *mat.Dense) (Outcome, error)
}

// A Condition describes how accurate the weights of a state are.
type Condition struct {
	RCond float64 // about the smallest singular value of [A; sqrt(lambda) I] with columns of norm 1
	Power int     // the power of 1/RCond with which errors grow
	Error float64 // the bound of Norms.Error; not finite if unknown

	Grown   float64 // from Norms.Grown
	Rebuilt float64 // a bound on what Error would be after a new start, if W is known

	Dependent bool // whether some weights are undetermined, up to rounding
}

// Base is the part that every state has.
type Base struct {
	Counter *cost.Counter // the backend of all products
	Method  types.Method
	Options types.Options
	Samples int     // l
	K, C    int     // the numbers of nodes and targets
	Lambda  float64 // the current ridge
	Sums    Sums
}

func (b *Base) Common() *Base { return b }

// CheckSize returns nil, since Gram and QR accept any sizes.
func (b *Base) CheckSize(l, k int) error { return nil }

// Enter begins the step s, or returns an error if ctx is done.
func (b *Base) Enter(ctx context.Context, s cost.Step) error {
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	b.Counter.Enter(s)
	return nil
}

// EachPanel enters step, then calls the function EachPanel.
func (b *Base) EachPanel(ctx context.Context, step cost.Step, rows int, f func(from, to int) error) error {
	b.Counter.Enter(step)
	return EachPanel(ctx, rows, f)
}

// CheckDetermined returns a *RankError if there are too few samples to determine W.
func (b *Base) CheckDetermined() error {
	if b.Lambda == 0 && b.Samples < b.K {
		return &types.RankError{Samples: b.Samples, Nodes: b.K, Running: true}
	}
	return nil
}

// CheckLeft returns a *LeverageError if the samples left after a removal of q could not determine W. In
// that case h is 1, whatever its computed value.
func (b *Base) CheckLeft(q int) error {
	if b.Lambda == 0 && b.Samples-q < b.K {
		return &types.LeverageError{Action: types.ActionRemove, TooFew: true}
	}
	return nil
}

// An Outcome holds what an action adds to the Report.
type Outcome struct {
	Model     []cost.StepFlops // the steps of the action
	Form      types.Form
	Start     types.Start
	RankC     int
	Abandoned float64 // flops of an attempt that was given up
}

// PanelRows is the number of rows after which a sum over rows checks its context. Sums are divided into
// such panels even if the context cannot be canceled, so that results do not depend on it.
//
// Panels of 4096 rows take no more CPU time than 8192 rows at once for k = 2000, or 16384 for k = 300,
// within the noise of 3%. Panels of 1024 take 5% more in Gram with openblas (one core of Zen 4).
const PanelRows = 4096

// EachPanel calls f for consecutive panels of PanelRows rows until f fails or ctx is done.
func EachPanel(ctx context.Context, rows int, f func(from, to int) error) error {
	return interrupt.EachPanel(ctx, rows, PanelRows, f)
}

// ManyPanels reports whether ctx may stop a sum over rows midway. Such a sum must be formed in a copy.
func ManyPanels(ctx context.Context, rows int) bool { return ctx.Done() != nil && rows > PanelRows }

// Reserve returns a *memory.Error if the copies and factors of an action need more bytes than are free.
// rows is the number of rows of the action, or 0 if it has none. A state calls it before any change.
func (b *Base) Reserve(action types.Action, rows int, bytes int64) error {
	do := Smaller(b.Method)
	if rows == 0 {
		return memory.Check(bytes, "blsupdate", do, "%v by %v (nodes: %d, targets: %d)", action, b.Method, b.K, b.C)
	}
	if rows > 1 && (b.Method != types.Gram || action == types.ActionAdd) { // Gram copies G to remove even one row
		do = "use fewer rows at once, " + strings.TrimPrefix(do, "use ")
	}
	return memory.Check(bytes, "blsupdate", do, "%v by %v (rows: %d, nodes: %d, targets: %d)", action, b.Method, rows, b.K, b.C)
}

// Smaller returns advice on how to make the state of a method smaller.
func Smaller(m types.Method) string {
	switch m {
	case types.Original, types.Improved:
		return "use fewer nodes, or the method gram or qr, which keep no matrix of samples x nodes"
	case types.QR, types.InverseCholesky:
		return "use fewer nodes, or the method gram, which stores a triangle in place of a square matrix"
	default:
		return "use fewer nodes, or fewer targets"
	}
}

// Residual returns Ya - Ax W in new storage.
func (b *Base) Residual(ax, ya, w *mat.Dense) *mat.Dense { return residual(b.Counter, ax, ya, w) }

// ResidualAfter returns Ya - Ax W with new weights, for the sums and bounds. No step counts the
// product, which is of lower order.
func (b *Base) ResidualAfter(ax, ya, w *mat.Dense) *mat.Dense {
	return residual(b.Counter.Unwrap(), ax, ya, w)
}

func residual(on blskernel.Backend, ax, ya, w *mat.Dense) *mat.Dense {
	e := dense.Copy(ya)
	dense.Gemm(on, blas.NoTrans, blas.NoTrans, -1, ax, w, 1, e)
	return e
}

// Factor returns the Cholesky factor of s, which it overwrites. FactorError explains what and instead.
func (b *Base) Factor(s *mat.SymPacked, what string, instead ...types.Method) (*lapack.Cholesky, error) {
	factor := dense.NewCholesky(b.Counter)
	return factor, FactorError(what, factor.FactorizeInPlace(s), instead...)
}

// FactorError returns nil if err is nil, ErrOverflow if a factorization met a number that is not
// finite, and otherwise a *ConditionError with the given What and Instead, or Batches if there is none.
func FactorError(what string, err error, instead ...types.Method) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, lapack.ErrNotFinite) {
		return types.ErrOverflow
	}
	return &types.ConditionError{What: what, Err: err, Instead: instead, Batches: len(instead) == 0}
}

// Overflow returns ErrOverflow if err is not nil. err must be from a routine on finite, nonsingular
// operands, which fails only if numbers overflow.
func Overflow(err error) error {
	if err != nil {
		return types.ErrOverflow
	}
	return nil
}
