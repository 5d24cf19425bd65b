package cost

func GramAdd(q, k, c int) []StepFlops {
	return []StepFlops{Line(StepG, "qk²", op(Sprk, 0, k, q)), Line(StepT, "2cqk", op(GemmTN, k, c, q))}
}

// GramFactor returns the step that factorizes a copy of G + lambda I.
func GramFactor(k int) StepFlops {
	return Line(StepFactor, "k³/3", stream(2*packedLen(k)), routine(Pptrf, k))
}

func GramSolve(k, c int) StepFlops {
	return Line(StepSolve, "2ck²", fresh(k*c), op(Pptrs, k, k, c))
}

func GramRefine(l, k, c int) []StepFlops {
	storage, product, transposed := fresh((l+k)*c), op(GemmNN, l, c, k), op(GemmTN, k, c, l)
	solve := op(Pptrs, k, k, c)
	return []StepFlops{
		Line(StepResidual, "8lkc", storage, product, transposed, storage, product, transposed),
		Line(StepCorrection, "4ck²", solve, solve),
	}
}

func GramLeverage(q, k int) StepFlops { return Line(StepLeverage, "qk²", op(Tptrs, k, k, q)) }

func GramNodes(s Shape) []StepFlops {
	return []StepFlops{
		Line(StepBorder, "2klp + lp²", op(GemmTN, s.K, s.P, s.L), op(Sprk, 0, s.P, s.L)),
		Line(StepT, "2clp", op(GemmTN, s.P, s.C, s.L)),
	}
}
