package blsupdate

// A Step is one line of an algorithm, named by what it computes.
type Step string

// StepFlops is a line of the flop model.
type StepFlops struct {
	Step    Step
	Formula string // the flops in terms of l, k, q, c, p
	work    []operation
}

// Flops returns the flops of the step.
func (s StepFlops) Flops() float64 { return s.count().flops() }

func (s StepFlops) count() thirds {
	var sum thirds
	for _, o := range s.work {
		sum += o.flops()
	}
	return sum
}

// line returns a line of the model.
func line(step Step, formula string, work ...operation) StepFlops {
	return StepFlops{Step: step, Formula: formula, work: work}
}

// Total returns the flops of all steps.
func Total(steps []StepFlops) float64 { return total(steps).flops() }

func total(steps []StepFlops) thirds {
	var sum thirds
	for _, s := range steps {
		sum += s.count()
	}
	return sum
}

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

// A Shape holds the sizes that the flops of an action depend on.
type Shape struct {
	L int // samples before it; for ActionStart those of the start
	K int // nodes before it
	Q int // samples added or removed
	C int // targets
	P int // nodes added

	Start Start // how the start is found; ActionStart only
	Rank  int   // of the first A where Start is StartSVD
}

// Model returns the steps of an action with their flops, by the paper's convention: a product of
// an m×n with an n×p matrix takes 2mnp flops, and half where the result is known to be symmetric;
// the inverse of a symmetric matrix takes n³, of a general one 2n³; terms of lower order are
// dropped. Of the options it reads Lambda, Form, Solve, C and Workspace; forms that stand for others are resolved.
// It is nil for what takes no flops to speak of, and for what the method cannot do (see Supports).
//
// What depends on the data is taken to be as usual: rows in general position, so that they are independent as
// far as they can be, and neither large nor dependent columns. The Report of an update has the steps that were
// really taken.
func Model(m Method, action Action, opt Options, s Shape) []StepFlops {
	steps := methodModel(m, action, opt, s)
	if steps != nil && (action == ActionAdd || action == ActionRemove) {
		steps = append([]StepFlops{checkModel(s.Q, s.K, s.C)}, steps...)
	}
	return steps
}

// StepCheck is the look for NaN and infinities and the norms of columns. It counts no flops.
const StepCheck Step = "checks"

// checkModel is the look at q rows.
func checkModel(q, k, c int) StepFlops {
	return line(StepCheck, "0", operation{scan, 0, 2 * q * (k + c), 0})
}

// methodModel is Model without the checks.
func methodModel(m Method, action Action, opt Options, s Shape) []StepFlops {
	switch m {
	case Original, Improved:
		return pseudoinverseModel(m, action, opt, s)
	case RidgeInverse:
		return ridgeInverseModel(action, opt, s)
	case InverseCholesky:
		return inverseCholeskyModel(action, opt, s)
	case Gram:
		return gramModel(action, s)
	case QR:
		return qrModel(action, s)
	default:
		return nil
	}
}

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

var startNames = []string{"cholesky", "qr", "svd"}

// String returns the name of s in lower case.
func (s Start) String() string { return name(startNames, int(s), "Start") }
