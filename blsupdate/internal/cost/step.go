package cost

// The steps of Gram, and of the solution for the weights.
const (
	StepG     Step = "G = A'A"
	StepT     Step = "T = A'Y"
	StepSolve Step = "W"

	StepLeverage Step = "leverage"
	StepBorder   Step = "A'H, H'H"

	StepResidual   Step = "A'(Y - A W) - lambda W"
	StepCorrection Step = "correction of W"
)

// The steps of InverseCholesky.
const (
	StepS Step = "S = Ax F"
	StepF Step = "F"
)

// The steps that RidgeInverse and InverseCholesky share.
const (
	StepKernel Step = "I + Ax R^-1 Ax'" // where R = AᵀA + lambda I; of order q, or I + FᵀAxᵀAx F, of order k
	StepNodesS Step = "C'C + lambda (D'D + I)"
)

// A Step is one line of an algorithm, named by what it computes.
type Step string

// StepCheck is the look for NaN and infinities and the norms of columns. It counts no flops.
const StepCheck Step = "checks"

// The steps of an update of A⁺ by added rows, in the order in which the paper has them.
const (
	StepD             Step = "D' = Ax A+"
	StepC             Step = "C = Ax' - A'D"
	StepDbar          Step = "Dbar = A+ D"
	StepInner         Step = "inner product"
	StepRank          Step = "singular values of C"
	StepInverse       Step = "inverse"
	StepB             Step = "B"
	StepOrthogonal    Step = "B by QR of [D; I]"
	StepDAgain        Step = "D' again"
	StepPseudoinverse Step = "A+ - B D'"
	StepWeights       Step = "W + B (Ya - Ax W)"

	// Before and after them in the form Compressed, where Ax, Ya and B have k rows or columns in
	// between.
	StepCompress Step = "Ax = Q R, Q'Ya"
	StepExpand   Step = "B Q'"
)

// The steps of an addition of nodes.
const (
	StepNodesD             Step = "D = A+ H"
	StepNodesC             Step = "C = H - A D"
	StepNodesAgain         Step = "D, C once more"
	StepNodesB             Step = "B of the nodes"
	StepNodesW             Step = "[W - D B Y; B Y]"
	StepNodesPseudoinverse Step = "[A+ - D B; B]"
)

// The steps of the start from the first rows.
const (
	StepGram    Step = "A'A + lambda I"
	StepFactor  Step = "factorization"
	StepStart   Step = "A+"
	StepInitial Step = "W = A+ Y"
)

// The steps of QR, beside StepSolve.
const (
	StepTriangle Step = "R and z"
	StepNodes    Step = "C = H - A D"
)

// The steps of RidgeInverse.
const (
	StepP Step = "P = Ax Q"
	StepQ Step = "Q"
)
