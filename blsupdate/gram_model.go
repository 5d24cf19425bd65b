package blsupdate

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

// gramModel is Model for Gram.
func gramModel(action Action, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return gramUpdate(s.L, s.K, s.C)
	case ActionAdd:
		return gramUpdate(s.Q, s.K, s.C)
	case ActionWeights:
		return []StepFlops{gramFactor(s.K), gramSolution(s.K, s.C)}
	case ActionRemove:
		return append(gramUpdate(s.Q, s.K, s.C), gramFactor(s.K), gramLeverage(s.Q, s.K))
	case ActionNodes:
		return gramNodes(s)
	default:
		return nil
	}
}

// gramUpdate has the steps of an update by q rows.
func gramUpdate(q, k, c int) []StepFlops {
	return []StepFlops{
		line(StepG, "qk²", operation{sprk, 0, k, q}),
		line(StepT, "2cqk", operation{gemmTN, k, c, q}),
	}
}

// gramFactor is the factorization of a copy of G + lambda I.
func gramFactor(k int) StepFlops {
	return line(StepFactor, "k³/3", operation{stream, 0, k * (k + 1), 0}, operation{pptrf, k, k, 0})
}

// gramSolution is the solution for the weights.
func gramSolution(k, c int) StepFlops {
	return line(StepSolve, "2ck²", operation{fresh, 0, k * c, 0}, operation{pptrs, k, k, c})
}

// gramRefinement has the steps of refineSteps corrections of W.
func gramRefinement(l, k, c int) []StepFlops {
	var residuals, solutions []operation
	for range refineSteps {
		residuals = append(residuals, operation{fresh, 0, (l + k) * c, 0}, operation{gemmNN, l, c, k}, operation{gemmTN, k, c, l})
		solutions = append(solutions, operation{pptrs, k, k, c})
	}
	return []StepFlops{line(StepResidual, "8lkc", residuals...), line(StepCorrection, "4ck²", solutions...)}
}

// gramLeverage is the check that a removal of q rows leaves enough.
func gramLeverage(q, k int) StepFlops {
	return line(StepLeverage, "qk²", operation{tptrs, k, k, q})
}

// gramNodes has the steps of an addition of p nodes.
func gramNodes(s Shape) []StepFlops {
	return []StepFlops{
		line(StepBorder, "2klp + lp²", operation{gemmTN, s.K, s.P, s.L}, operation{sprk, 0, s.P, s.L}),
		line(StepT, "2clp", operation{gemmTN, s.P, s.C, s.L}),
	}
}
