package blsupdate

import (
	"time"

	"blskernel/mat"
)

// An Updater owns a model and takes rows in batches of any size. It is not safe for concurrent use.
type Updater interface {
	// AddInputs learns from q more samples: ax is q×k, ya is q×c. Neither is changed or kept. On an
	// error (wrong shapes, NaN or Inf, overflow) the state is what it was.
	AddInputs(ax, ya *mat.Dense) error

	// Weights returns a copy of W, k×c: the prediction for rows X is X W.
	Weights() (*mat.Dense, error)

	// Samples, Nodes and Targets return l, k and c.
	Samples() int
	Nodes() int
	Targets() int

	// Condition returns ‖A‖‖A⁺‖ in Frobenius norms. For a pseudoinverse of rank r it lies between
	// the 2-norm condition number κ of A and r κ. It takes a pass over the state.
	Condition() float64

	// Report says what the last successful update, or at first the start, took.
	Report() Report
}

// A Pseudoinverter is an Updater that has A⁺ itself, as those of Original and Improved do.
type Pseudoinverter interface {
	Updater
	// Pseudoinverse returns a copy of A⁺, k×l.
	Pseudoinverse() *mat.Dense
}

// A Report is the account of one update, or of the start.
type Report struct {
	Samples int   // l after it
	Added   int   // q
	Form    Form  // the form of B: Small for Original; Auto for the start and where C was not zero; of parts the largest
	Start   Start // how the first A⁺ was found
	RankC   int   // the rank of C where it was computed; B is by the general formula if not 0
	Steps   []StepReport
	Elapsed time.Duration // of all steps and what is between them

	// Abandoned is the number of flops spent on a cheaper way to the first A⁺ that was tried before
	// and given up. They are in none of the steps.
	Abandoned float64

	model, counted float64 // summed exactly
}

// A StepReport is the account of one step.
type StepReport struct {
	Step    Step
	Formula string  // of the model
	Model   float64 // flops by the model
	Counted float64 // flops that the backend was asked for
	Elapsed time.Duration
}

// Model returns the flops of all steps by the model.
func (r Report) Model() float64 { return r.model }

// Counted returns all flops that the backend was asked for, in steps of the model or not, but for
// Abandoned.
func (r Report) Counted() float64 { return r.counted }

// New starts a model from the first l samples: a is A, l×k, and y is Y, l×c. Neither is changed or
// kept. The result has the method's A⁺ and W = A⁺Y and implements Pseudoinverter.
//
// The start is by the Cholesky factor of AᵀA + lambda I where its condition allows an error in A⁺ like
// eps κ, else by a QR factorization of A, and for an A of rank below k by its singular values; Report
// says which. It returns an error if a or y has no rows, wrong shapes, NaN or Inf; if an option is out
// of range; or a *RankError for l < k with lambda > 0 (and C not CZero).
func New(m Method, a, y *mat.Dense, opt Options) (Updater, error) {
	if err := opt.check(m); err != nil {
		return nil, err
	}
	if err := checkPair("A", a, 0, "Y", y, 0); err != nil {
		return nil, err
	}
	u, err := newPseudoinverse(m, a, y, opt)
	if err != nil {
		return nil, err
	}
	return u, nil
}
