package cost

import (
	"blskernel/blsupdate/types"
)

// gramModel is Model for Gram.
func gramModel(action types.Action, s Shape) []StepFlops {
	switch action {
	case types.ActionStart:
		return GramAdd(s.L, s.K, s.C)
	case types.ActionAdd:
		return GramAdd(s.Q, s.K, s.C)
	case types.ActionWeights:
		return []StepFlops{GramFactor(s.K), GramSolve(s.K, s.C)}
	case types.ActionRemove:
		return append(GramAdd(s.Q, s.K, s.C), GramFactor(s.K), GramLeverage(s.Q, s.K))
	case types.ActionNodes:
		return GramNodes(s)
	default:
		return nil
	}
}

// GramAdd has the steps of an update by q rows.
func GramAdd(q, k, c int) []StepFlops {
	return []StepFlops{Line(StepG, "qk²", op(Sprk, 0, k, q)), Line(StepT, "2cqk", op(GemmTN, k, c, q))}
}

// GramFactor has the factorization of a copy of G + lambda I.
func GramFactor(k int) StepFlops {
	return Line(StepFactor, "k³/3", stream(2*packedLen(k)), routine(Pptrf, k))
}

// GramSolve has the solution for the weights.
func GramSolve(k, c int) StepFlops {
	return Line(StepSolve, "2ck²", fresh(k*c), op(Pptrs, k, k, c))
}

// GramRefine has the steps of two corrections of W.
func GramRefine(l, k, c int) []StepFlops {
	storage, product, transposed := fresh((l+k)*c), op(GemmNN, l, c, k), op(GemmTN, k, c, l)
	solve := op(Pptrs, k, k, c)
	return []StepFlops{
		Line(StepResidual, "8lkc", storage, product, transposed, storage, product, transposed),
		Line(StepCorrection, "4ck²", solve, solve),
	}
}

// GramLeverage has the leverage of q rows to be removed.
func GramLeverage(q, k int) StepFlops { return Line(StepLeverage, "qk²", op(Tptrs, k, k, q)) }

// GramNodes has the steps of p added nodes.
func GramNodes(s Shape) []StepFlops {
	return []StepFlops{
		Line(StepBorder, "2klp + lp²", op(GemmTN, s.K, s.P, s.L), op(Sprk, 0, s.P, s.L)),
		Line(StepT, "2clp", op(GemmTN, s.P, s.C, s.L)),
	}
}
