package blsupdate

import (
	"context"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/rates"
	"blskernel/internal/memory"
)

// The types of methods, options, actions and errors are those of blsupdate/internal/api, which
// documents them.
type (
	// A Method is a way to bring the weights up to date.
	Method = api.Method
	// A Form says whether an update by q rows works with matrices of order q or of order k.
	Form = api.Form
	// A CMode says when C, the part of the new rows outside the row space of A, is computed.
	CMode = api.CMode
	// Options are the settings of an Updater. The zero value is the pseudoinverse on the default
	// backend, in the form with the fewest flops. The fields:
	//
	//	Lambda    float64            the ridge, 0 for none
	//	Form      Form               the form of an update in Improved, RidgeInverse, InverseCholesky
	//	Solve     bool               Improved solves for B with a factor, not by an inverse
	//	C         CMode              when Original and Improved use the general formula for B
	//	Workspace int64              bytes in which an update keeps D = (Ax A⁺)ᵀ (l×q); 0 is
	//	                             DefaultWorkspace, negative keeps nothing
	//	Backend   blskernel.Backend  computes the products; nil is blskernel.Default()
	//
	// Original and Improved use Lambda for the first A⁺ = (AᵀA + Lambda I)⁻¹Aᵀ only, and then treat
	// A⁺ as the pseudoinverse, as the paper does. Their W differs from the ridge solution by the
	// ratio of Lambda to the square of the smallest singular value of the first A. Solve saves
	// 2q³/3 flops in the form Small and 4k³/3 in Large. Rows of D that do not fit into Workspace
	// are computed twice, for 2qk flops each, in panels of at most 64 MB.
	Options = api.Options
	// An Action is New or a method of an Updater.
	Action = api.Action
	// A Start is a way to the first state.
	Start = api.Start

	ConditionError     = api.ConditionError     // a result would have no correct digits
	StateError         = api.StateError         // the numbers of a model contradict each other
	ShapeError         = api.ShapeError         // a matrix does not fit the others
	NotFiniteError     = api.NotFiniteError     // a matrix has a NaN or an infinity
	OptionError        = api.OptionError        // an option is out of range
	RankError          = api.RankError          // the samples do not determine the weights
	LeverageError      = api.LeverageError      // rows or a ridge are all that the model knows in some direction
	UnknownRowError    = api.UnknownRowError    // Original or Improved does not have the row
	ForgottenRowsError = api.ForgottenRowsError // Original and Improved do not know their rows after Forget
	UnsupportedError   = api.UnsupportedError   // a method cannot do something

	// A MemoryError says that a start, a change or a solution needs more memory than there is, and
	// was not begun. Need is what it allocates at least, and Have what the machine, its control
	// groups and the Go runtime leave. Only Linux reports more than the limit of the runtime.
	MemoryError = memory.Error
)

// The methods, forms, CModes, actions and starts.
const (
	Improved        = api.Improved        // the paper's Algorithm 3: A⁺ and W, in the form of Options.Form
	Original        = api.Original        // the paper's Algorithm 2, B = A⁺D (I + DᵀD)⁻¹
	RidgeInverse    = api.RidgeInverse    // Q = (AᵀA + lambda I)⁻¹ and W
	InverseCholesky = api.InverseCholesky // F with F Fᵀ = (AᵀA + lambda I)⁻¹, and W
	Gram            = api.Gram            // AᵀA and AᵀY; solves for W by Cholesky
	QR              = api.QR              // R with RᵀR = AᵀA + lambda I, and z with R W = z

	Auto       = api.Auto       // the cheaper of Small and Large, or of Small and Compressed for Improved
	Paper      = api.Paper      // Small for q <= k and Large for q > k
	Small      = api.Small      // matrices of order q
	Large      = api.Large      // matrices of order k
	Compressed = api.Compressed // Small for the k rows of a QR factorization of Ax; for Improved

	CAuto  = api.CAuto  // C is computed as long as the rank of A is below k
	CZero  = api.CZero  // C is assumed zero
	CCheck = api.CCheck // C is computed in every update

	ActionAdd     = api.ActionAdd     // AddInputs
	ActionStart   = api.ActionStart   // New
	ActionWeights = api.ActionWeights // Weights
	ActionRemove  = api.ActionRemove  // RemoveInputs
	ActionForget  = api.ActionForget  // Forget
	ActionNodes   = api.ActionNodes   // AddNodes
	ActionMerge   = api.ActionMerge   // Merge
	ActionRidge   = api.ActionRidge   // SetLambda

	StartCholesky = api.StartCholesky // by the Cholesky factor of AᵀA + lambda I
	StartQR       = api.StartQR       // by a QR factorization of A
	StartSVD      = api.StartSVD      // by singular values

	// DefaultWorkspace is the bound that Options.Workspace = 0 stands for: 4 GiB.
	DefaultWorkspace = api.DefaultWorkspace
	// EnvCache names the environment variable for the folder of files of rates.
	EnvCache = rates.EnvCache
)

var (
	// ErrOverflow is returned where a result, or a number on the way to it, overflows although the
	// input is finite.
	ErrOverflow = api.ErrOverflow
	// ErrNoConvergence is returned where a singular value decomposition does not converge.
	ErrNoConvergence = dense.ErrNoConvergence
)

// Methods returns all methods.
func Methods() []Method { return api.Methods() }

// ParseMethod returns the method of the given name, in any case.
func ParseMethod(s string) (Method, error) { return api.ParseMethod(s) }

// ParseForm returns the form of the given name, in any case.
func ParseForm(s string) (Form, error) { return api.ParseForm(s) }

// Supports reports whether m can do the action.
func Supports(m Method, action Action) bool { return api.Supports(m, action) }

// CheckStart returns the *RankError with which New refuses l samples for k nodes, or nil.
func CheckStart(m Method, opt Options, l, k int) error { return api.CheckStart(m, opt, l, k) }

// The flop model and the rates of this machine.
type (
	// A Step is the name of a line of an algorithm.
	Step = cost.Step
	// StepFlops is a line of the flop model: Step names what it computes, Formula has its flops.
	StepFlops = cost.StepFlops
	// A Shape holds the sizes that the flops of an action depend on: L samples and K nodes before
	// it, Q rows added or removed, C targets, P nodes added; Start and Rank of the first A for
	// ActionStart.
	Shape = cost.Shape
	// A Counter is a Backend that counts the flops it is asked for, and keeps time, each by step.
	Counter = cost.Counter
	// Rates predict the time of steps on one machine, with one backend and number of threads.
	Rates = rates.Rates
	// A Key has what rates depend on.
	Key = rates.Key
	// A CacheError says why rates could not be read from a file or written to it.
	CacheError = rates.CacheError
)

// Model returns the steps of an action with their flops, by the paper's convention. A product of an m×n
// with an n×p matrix takes 2mnp flops, and half where the result is symmetric; the inverse of a
// symmetric matrix n³, of a general one 2n³. Terms of lower order are dropped. Model returns nil for
// actions without flops, and for those that m does not support. Rows are taken to be in general
// position; the Report of an update has its real steps.
func Model(m Method, action Action, opt Options, s Shape) []StepFlops {
	return cost.Model(m, action, opt, s)
}

// Total returns the flops of all steps.
func Total(steps []StepFlops) float64 { return cost.Total(steps) }

// Resolve returns the form that opt.Form stands for in an update of Improved by s.Q rows of a model
// with s.K nodes and s.L samples: Small, Large or Compressed.
func Resolve(opt Options, s Shape) Form { return cost.Resolve(opt, s) }

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() where b is nil.
func NewCounter(b blskernel.Backend) *Counter { return cost.NewCounter(b) }

// ConstantRates returns the rates of an ideal machine, in flops per second, and in numbers per second
// that passes over memory read or write. It panics unless both are above 0.
func ConstantRates(flops, numbers float64) *Rates { return rates.ConstantRates(flops, numbers) }

// MeasureRates measures the rates of b, nil for blskernel.Default(), with the set number of threads. It
// takes about a minute and 400 MB of memory, and needs a machine without other work. It calls progress,
// which may be nil, with the share of the work that is done. The error is the cause of ctx where that
// is canceled.
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return rates.Measure(ctx, b, progress)
}

// RatesFor returns the rates of b from the file of this machine, or else measures them and writes the
// file. Rates.Unsaved says why it could not.
func RatesFor(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return rates.For(ctx, b, progress)
}

// LoadRates returns the rates of b from the file of this machine. The error is a *CacheError; it
// matches fs.ErrNotExist where there is no file.
func LoadRates(b blskernel.Backend) (*Rates, error) { return rates.Load(b) }
