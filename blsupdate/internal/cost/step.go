package cost

// A Step is one line of an algorithm, named by what it computes.
type Step string

// StepCheck is the check for NaN and infinities, and the norms of columns. It counts no flops.
const StepCheck Step = "checks"

// Steps of a start, and of the solution for the weights.
const (
	StepGram    Step = "A'A + lambda I"
	StepFactor  Step = "factorization"
	StepStart   Step = "A+"
	StepInitial Step = "W = A+ Y"
	StepG       Step = "G = A'A"
	StepT       Step = "T = A'Y"
	StepSolve   Step = "W"
)

// Steps of an update of A⁺ by rows, in the order of the paper. StepCompress and StepExpand enclose them in the form
// Compressed.
const (
	StepCompress      Step = "Ax = Q R, Q'Ya"
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
	StepExpand        Step = "B Q'"
)

// Steps of the other methods.
const (
	StepP          Step = "P = Ax Q"
	StepQ          Step = "Q"
	StepS          Step = "S = Ax F"
	StepF          Step = "F"
	StepKernel     Step = "I + Ax R^-1 Ax'" // R = AᵀA + lambda I; or I + FᵀAxᵀAx F, of order k
	StepTriangle   Step = "R and z"
	StepLeverage   Step = "leverage"
	StepResidual   Step = "A'(Y - A W) - lambda W"
	StepCorrection Step = "correction of W"
)

// Steps of added nodes.
const (
	StepBorder             Step = "A'H, H'H"
	StepNodesD             Step = "D = A+ H"
	StepNodesC             Step = "C = H - A D"
	StepNodesAgain         Step = "D, C once more"
	StepNodesS             Step = "C'C + lambda (D'D + I)"
	StepNodesB             Step = "B of the nodes"
	StepNodesW             Step = "[W - D B Y; B Y]"
	StepNodesPseudoinverse Step = "[A+ - D B; B]"
)
