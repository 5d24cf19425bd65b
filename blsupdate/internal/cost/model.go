// Package cost has the flop model of every method, step by step, and a Counter of the flops requested
// from a backend. GramAdd, for example, returns the steps of adding rows in Gram.
package cost

import "blskernel/blsupdate/types"

type Shape = types.Shape

// Model returns the steps of an action with their flops, as blsupdate.Model documents. It assumes rows
// in general position, neither large nor dependent.
func Model(m types.Method, action types.Action, opt types.Options, s Shape) (steps []StepFlops) {
	type of struct {
		types.Method
		types.Action
	}
	q, k, c := s.Q, s.K, s.C
	switch (of{m, action}) {
	case of{types.Original, types.ActionStart}, of{types.Improved, types.ActionStart}:
		steps = PseudoinverseStart(opt, s)
	case of{types.Original, types.ActionAdd}:
		steps = pseudoinverseAdded(m, types.Small, opt, s)
	case of{types.Improved, types.ActionAdd}:
		steps = pseudoinverseAdded(m, Resolve(opt, s), opt, s)
	case of{types.Original, types.ActionRemove}, of{types.Improved, types.ActionRemove}:
		steps = PseudoinverseRemove(s)
	case of{types.Original, types.ActionNodes}, of{types.Improved, types.ActionNodes}:
		steps = pseudoinverseWidened(opt, s)
	case of{types.RidgeInverse, types.ActionStart}:
		steps = RidgeStart(s.L, k, c)
	case of{types.RidgeInverse, types.ActionAdd}:
		steps = RidgeAdd(opt, RidgeForm(opt.Form, q, k, c), q, k, c)
	case of{types.RidgeInverse, types.ActionRemove}:
		steps = RidgeAdd(opt, types.Small, q, k, c)
	case of{types.RidgeInverse, types.ActionNodes}:
		steps = RidgeNodes(opt, s)
	case of{types.InverseCholesky, types.ActionStart}:
		steps = CholeskyStart(s)
	case of{types.InverseCholesky, types.ActionAdd}:
		steps = CholeskyAdd(CholeskyForm(opt.Form, q, k), q, k, c, false)
	case of{types.InverseCholesky, types.ActionRemove}:
		steps = CholeskyRemove(q, k, c)
	case of{types.InverseCholesky, types.ActionNodes}:
		steps = CholeskyNodes(s, opt.Lambda > 0)
	case of{types.Gram, types.ActionStart}:
		steps = GramAdd(s.L, k, c)
	case of{types.Gram, types.ActionAdd}:
		steps = GramAdd(q, k, c)
	case of{types.Gram, types.ActionWeights}:
		steps = []StepFlops{GramFactor(k), GramSolve(k, c)}
	case of{types.Gram, types.ActionRemove}:
		steps = append(GramAdd(q, k, c), GramFactor(k), GramLeverage(q, k))
	case of{types.Gram, types.ActionNodes}:
		steps = GramNodes(s)
	case of{types.QR, types.ActionStart}:
		steps = QRAdd(s.L, k, c)
	case of{types.QR, types.ActionAdd}:
		steps = QRAdd(q, k, c)
	case of{types.QR, types.ActionWeights}:
		steps = QRSolve(k, c)
	case of{types.QR, types.ActionRemove}:
		steps = QRRemove(q, k, c)
	case of{types.QR, types.ActionNodes}:
		steps = QRNodes(s, false)
	case of{types.QR, types.ActionMerge}, of{types.QR, types.ActionRidge}: // Merge removes no ridge, or SetLambda raises it
		steps = QRMerge(k, c, false)
	default:
		if m == 0 || action != types.ActionTargets && action != types.ActionMap {
			return nil
		}
		if m == types.Original || m == types.Improved {
			return MapTargets("2ckp + 2clp", c, s.P, k, s.L)
		}
		return MapTargets("2ckp", c, s.P, k)
	}
	if action == types.ActionAdd || action == types.ActionRemove {
		steps = append([]StepFlops{Check(q, k, c)}, steps...)
	}
	return steps
}

// MapTargets returns the step that multiplies matrices with the given numbers of rows by T, c×p.
// formula states its flops.
func MapTargets(formula string, c, p int, rows ...int) []StepFlops {
	var work []Operation
	for _, m := range rows {
		work = append(work, fresh(m*p), op(GemmNN, m, p, c))
	}
	return []StepFlops{Line(StepTargets, formula, work...)}
}

// smallOrLarge resolves form to Small or Large, for an update of RidgeInverse or InverseCholesky by q
// rows. If large is true, Auto and Compressed stand for Large.
func smallOrLarge(form types.Form, q, k int, large bool) types.Form {
	switch {
	case form == types.Small || form == types.Large:
		return form
	case form == types.Paper:
		large = q > k
	}
	if large {
		return types.Large
	}
	return types.Small
}

// startSteps returns the steps of state.StartFactor and state.StartWeights.
func startSteps(l, k, c int) []StepFlops {
	return []StepFlops{
		Line(StepGram, "lk²", fresh(packedLen(k)), op(Sprk, 0, k, l)),
		Line(StepFactor, "k³/3", routine(Pptrf, k)),
		Line(StepT, "2clk", op(GemmTN, k, c, l)),
		Line(StepSolve, "2ck²", op(Pptrs, k, k, c)),
	}
}

// borderSteps returns the steps of state.Base.NewBorder. apply lists the operations of one product with
// (AᵀA + lambda I)⁻¹.
func borderSteps(s Shape, apply ...Operation) []StepFlops {
	g, c := op(GemmTN, s.P, s.K, s.L), op(GemmNT, s.L, s.P, s.K)
	return []StepFlops{
		Line(StepBorder, "4klp", g, g),
		Line(StepNodesD, "4k²p", append(apply, apply...)...),
		Line(StepNodesC, "4klp", c, c),
	}
}

// A Step is one line of an algorithm, named by its result.
type Step string

// StepCheck checks for NaN and infinities and computes the norms of columns. It counts no flops.
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

// Steps of an update of A⁺ by rows, in the order of the paper. StepCompress and StepExpand enclose them
// in the form Compressed.
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
	StepTargets    Step = "Y T"
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
