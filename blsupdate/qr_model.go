package blsupdate

// The steps of QR, beside StepSolve.
const (
	StepTriangle Step = "R and z"
	StepNodes    Step = "C = H - A D"
)

// qrModel is Model for QR: of Merge for a state without a ridge, and of SetLambda for a larger one.
// Otherwise the ridge has to be lowered, which the Report has.
func qrModel(action Action, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return qrAddition(s.L, s.K, s.C)
	case ActionAdd:
		return qrAddition(s.Q, s.K, s.C)
	case ActionWeights:
		return qrSolution(s.K, s.C)
	case ActionRemove:
		return qrRemoval(s.Q, s.K, s.C)
	case ActionNodes:
		return qrNodes(s, false)
	case ActionMerge, ActionRidge:
		return qrMerger(s.K, s.C, false)
	default:
		return nil
	}
}

// qrAddition has the steps of an addition of q rows.
func qrAddition(q, k, c int) []StepFlops {
	if addedByRotations(q, k) {
		return []StepFlops{line(StepTriangle, "3qk² + 6cqk", operation{chud, q, k, c})}
	}
	return []StepFlops{line(StepTriangle, "2qk² + 4cqk", operation{stream, 0, q * c, 0}, operation{tpqrt, q, k, c})}
}

// qrSolution has the steps of the solution for the weights.
func qrSolution(k, c int) []StepFlops {
	return []StepFlops{line(StepSolve, "ck²", operation{stream, 0, k * c, 0}, operation{trtrs, k, k, c})}
}

// qrRemoval has the steps of a removal of q rows.
func qrRemoval(q, k, c int) []StepFlops {
	p := operation{trtrs, k, k, q}
	if removedByRows(q, k) {
		return []StepFlops{
			line(StepLeverage, "qk² + q²k + 2q³/3", p, operation{gemmtpNT, 0, q, k}, operation{pptrf, q, q, 0}, operation{ttrmm, q, q, 0}),
			line(StepTriangle, "3qk² + 8cqk + 3q²k + cq²", operation{gemmNN, q, c, k}, operation{tptrs, q, q, c}, operation{chdd, q, k, c})}
	}
	half := k * (k + 1) / 2
	return []StepFlops{
		line(StepLeverage, "2qk² + k³/3", p, operation{fresh, 0, half, 0}, operation{sprk, 0, k, q}, operation{pptrf, k, k, 0}),
		line(StepTriangle, "k³/3 + 2cqk + ck²", operation{gemmTN, k, c, q}, operation{tptrs, k, k, c}, operation{ttrmm, k, k, 0})}
}

// qrMerger has the steps of a merger of two states; the ridge of the other one is taken off if it has
// one.
func qrMerger(k, c int, ridge bool) []StepFlops {
	merge := []operation{{fresh, 0, k * k, 0}, {stream, 0, k * k, 0}, {ttqrt, k, k, c}}
	if !ridge {
		return []StepFlops{line(StepTriangle, "2k³/3 + 2ck²", merge...)}
	}
	steps := qrLowering(k, c)
	steps[1] = line(StepTriangle, "k³ + 3ck²", append(merge, steps[1].work...)...)
	return steps
}

// qrLowering has the steps of SetLambda for a smaller ridge.
func qrLowering(k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		line(StepLeverage, "5k³/3", operation{fresh, 0, k*k + half, 0}, operation{trtri, k, k, 0}, operation{sprk, 0, k, k}, operation{pptrf, k, k, 0}),
		line(StepTriangle, "k³/3 + ck²", operation{tptrs, k, k, c}, operation{ttrmm, k, k, 0})}
}

// qrNodes has the steps of an addition of p nodes.
func qrNodes(s Shape, ridge bool) []StepFlops {
	k, p, l, c := s.K, s.P, s.L, s.C
	solve := operation{trtrs, k, k, p}
	triangle, formula := []operation{{tpqrt, l, p, c}}, "2lp² + 4clp + k²p"
	if ridge {
		triangle, formula = append(triangle, operation{tpqrt, k, p, c}), "2(l+k)p² + 4c(l+k)p + k²p"
	}
	wide := (k + p) * (k + p)
	return []StepFlops{
		line(StepNodes, "8klp + 4k²p", operation{fresh, 0, k*k + l*p, 0}, operation{trcon, k, k, 0},
			operation{gemmTN, k, p, l}, solve, solve, operation{gemmNN, l, p, k},
			operation{gemmTN, k, p, l}, solve, solve, operation{gemmNN, l, p, k}),
		line(StepTriangle, formula, append(triangle, operation{trmmL, k, p, 0}, operation{fresh, 0, wide, 0}, operation{stream, 0, wide, 0})...)}
}
