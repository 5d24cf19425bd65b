package cost

// startSteps has the steps of startFactor and startWeights.
func startSteps(l, k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		Line(StepGram, "lk²", op(Fresh, 0, half, 0), op(Sprk, 0, k, l)),
		Line(StepFactor, "k³/3", op(Pptrf, k, k, 0)),
		Line(StepT, "2clk", op(GemmTN, k, c, l)),
		Line(StepSolve, "2ck²", op(Pptrs, k, k, c)),
	}
}

// borderSteps has the steps of solve, where kinds are the operations of one application of R⁻¹.
func borderSteps(s Shape, formula string, apply ...Operation) []StepFlops {
	g, c := op(GemmTN, s.P, s.K, s.L), op(GemmNT, s.L, s.P, s.K)
	return []StepFlops{
		Line(StepBorder, "4klp", g, g),
		Line(StepNodesD, formula, append(apply, apply...)...),
		Line(StepNodesC, "4klp", c, c),
	}
}
