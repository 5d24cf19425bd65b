package cost

import (
	"blskernel/blsupdate/internal/api"
)

// gramModel is Model for Gram.
func GramModel(action api.Action, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return GramUpdate(s.L, s.K, s.C)
	case api.ActionAdd:
		return GramUpdate(s.Q, s.K, s.C)
	case api.ActionWeights:
		return []StepFlops{GramFactor(s.K), GramSolve(s.K, s.C)}
	case api.ActionRemove:
		return append(GramUpdate(s.Q, s.K, s.C), GramFactor(s.K), GramLeverage(s.Q, s.K))
	case api.ActionNodes:
		return GramNodes(s)
	default:
		return nil
	}
}

// gramUpdate has the steps of an update by q rows.
func GramUpdate(q, k, c int) []StepFlops {
	return []StepFlops{
		Line(StepG, "qk²", op(Sprk, 0, k, q)),
		Line(StepT, "2cqk", op(GemmTN, k, c, q)),
	}
}

// gramFactor is the factorization of a copy of G + lambda I.
func GramFactor(k int) StepFlops {
	return Line(StepFactor, "k³/3", op(Stream, 0, k*(k+1), 0), op(Pptrf, k, k, 0))
}

// gramSolution is the solution for the weights.
func GramSolve(k, c int) StepFlops {
	return Line(StepSolve, "2ck²", op(Fresh, 0, k*c, 0), op(Pptrs, k, k, c))
}

// gramRefinement has the steps of refineSteps corrections of W.
func GramRefine(l, k, c int) []StepFlops {
	var residuals, solutions []Operation
	for range RefineSteps {
		residuals = append(residuals, op(Fresh, 0, (l+k)*c, 0), op(GemmNN, l, c, k), op(GemmTN, k, c, l))
		solutions = append(solutions, op(Pptrs, k, k, c))
	}
	return []StepFlops{Line(StepResidual, "8lkc", residuals...), Line(StepCorrection, "4ck²", solutions...)}
}

// gramLeverage is the check that a removal of q rows leaves enough.
func GramLeverage(q, k int) StepFlops {
	return Line(StepLeverage, "qk²", op(Tptrs, k, k, q))
}

// gramNodes has the steps of an addition of p nodes.
func GramNodes(s Shape) []StepFlops {
	return []StepFlops{
		Line(StepBorder, "2klp + lp²", op(GemmTN, s.K, s.P, s.L), op(Sprk, 0, s.P, s.L)),
		Line(StepT, "2clp", op(GemmTN, s.P, s.C, s.L)),
	}
}

// refineSteps is the number of corrections. The first leaves an error of eps κ + (eps κ²)², the second that of
// the residual.
const RefineSteps = 2
