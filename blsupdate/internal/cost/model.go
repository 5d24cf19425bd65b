// Package cost has the flop model of every method, step by step, and the Counter that counts what a
// backend is asked for.
package cost

import (
	"blskernel/blsupdate/types"
)

type Shape = types.Shape

// Model returns the steps of an action with their flops, as blsupdate.Model. It assumes rows in general
// position, neither large nor dependent.
func Model(m types.Method, action types.Action, opt types.Options, s Shape) []StepFlops {
	var steps []StepFlops
	if action == types.ActionTargets || action == types.ActionMap {
		return mapModel(m, s)
	}
	switch m {
	case types.Original, types.Improved:
		steps = pseudoinverseModel(m, action, opt, s)
	case types.RidgeInverse:
		steps = ridgeModel(action, opt, s)
	case types.InverseCholesky:
		steps = choleskyModel(action, opt, s)
	case types.Gram:
		steps = gramModel(action, s)
	case types.QR:
		steps = qrModel(action, s)
	}
	if steps != nil && (action == types.ActionAdd || action == types.ActionRemove) {
		steps = append([]StepFlops{Check(s.Q, s.K, s.C)}, steps...)
	}
	return steps
}

// mapModel is Model for targets that are appended or mapped.
func mapModel(m types.Method, s Shape) []StepFlops {
	switch m {
	case types.Original, types.Improved:
		return MapTargets("2ckp + 2clp", s.C, s.P, s.K, s.L)
	case 0:
		return nil
	default:
		return MapTargets("2ckp", s.C, s.P, s.K)
	}
}

// MapTargets has the step of the products of matrices of the given rows with T, c×p.
func MapTargets(formula string, c, p int, rows ...int) []StepFlops {
	var work []Operation
	for _, m := range rows {
		work = append(work, fresh(m*p), op(GemmNN, m, p, c))
	}
	return []StepFlops{Line(StepTargets, formula, work...)}
}

// smallOrLarge returns the form of an update by q rows in RidgeInverse and InverseCholesky: Large in
// Auto where large.
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

// startSteps has the steps of state.StartFactor and state.StartWeights.
func startSteps(l, k, c int) []StepFlops {
	return []StepFlops{
		Line(StepGram, "lk²", fresh(packedLen(k)), op(Sprk, 0, k, l)),
		Line(StepFactor, "k³/3", routine(Pptrf, k)),
		Line(StepT, "2clk", op(GemmTN, k, c, l)),
		Line(StepSolve, "2ck²", op(Pptrs, k, k, c)),
	}
}

// borderSteps has the steps of state.Base.NewBorder; apply has the operations of one product with R⁻¹.
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
