package blsupdate

// The steps of InverseCholesky.
const (
	StepS Step = "S = Ax F"
	StepF Step = "F"
)

// inverseCholeskyModel is Model for InverseCholesky.
func inverseCholeskyModel(action Action, opt Options, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return inverseCholeskyStart(s)
	case ActionAdd:
		return inverseCholeskyAddition(inverseCholeskyForm(opt.Form, s.Q, s.K), s.Q, s.K, s.C, false)
	case ActionRemove:
		return inverseCholeskyRemoval(s.Q, s.K, s.C)
	case ActionNodes:
		return inverseCholeskyNodes(s, opt.Lambda > 0)
	default:
		return nil
	}
}

// rowsPerOrder is k/q where the forms Small and Large take the same time. Small is bound by memory and
// runs on one thread, so that flops do not tell: with c = 10 and one thread of Zen 4 it was 10 for k =
// 500, 1000 and 2000 on the backend pure and 9, 10 and 13 on openblas, and with two threads 10, 14 and
// 18 on pure and about 10 on openblas.
const rowsPerOrder = 14

// inverseCholeskyForm returns the form in which q rows are added or removed, Small or Large.
func inverseCholeskyForm(form Form, q, k int) Form {
	switch form {
	case Small, Large:
		return form
	case Paper:
		if q <= k {
			return Small
		}
		return Large
	default:
		if rowsPerOrder*q <= k || q == 1 {
			return Small
		}
		return Large
	}
}

func inverseCholeskyStart(s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	square := operation{fresh, 0, k * k, 0}
	if s.Start == StartQR {
		return []StepFlops{
			line(StepFactor, "2lk² + 4clk", square, operation{tpqrt, l, k, c}),
			line(StepSolve, "ck²", operation{trtrs, k, k, c}),
			line(StepF, "k³/3", operation{trtri, k, k, 0}, square, operation{stream, 0, k * k, 0}),
		}
	}
	return append(startSteps(l, k, c), line(StepF, "k³/3", square, operation{ttrsm, k, k, 0}))
}

// inverseCholeskyRows has the steps of an addition, or a removal, row by row.
func inverseCholeskyRows(q, k, c int) []StepFlops {
	weights := line(StepWeights, "4cqk")
	for range q {
		weights.work = append(weights.work, operation{gemmNN, 1, c, k}, operation{gemmNN, k, c, 1})
	}
	return []StepFlops{line(StepF, "3.5qk²", operation{carlson, q, k, 0}), weights}
}

// seenStep is the product Ax F.
func seenStep(q, k int) StepFlops {
	return line(StepS, "qk²", operation{stream, 0, 2 * q * k, 0}, operation{trmmR, q, k, 0})
}

// inverseCholeskyAddition has the steps of an addition; large is whether the new rows are large, see
// mostKernel.
func inverseCholeskyAddition(form Form, q, k, c int, large bool) []StepFlops {
	switch {
	case form == Small:
		return inverseCholeskyRows(q, k, c)
	case large:
		return []StepFlops{
			seenStep(q, k),
			line(StepFactor, "2qk² + 4cqk", operation{fresh, 0, k * k, 0}, operation{tpqrt, q, k, c}),
			line(StepF, "k³", operation{fresh, 0, k * k, 0}, operation{stream, 0, k * k, 0}, operation{trtrs, k, k, k}),
			line(StepWeights, "2cqk + ck²", operation{gemmNN, q, c, k}, operation{trmmL, k, c, 0}),
		}
	default:
		return append(inverseCholeskyKernel(q, k),
			inverseCholeskyWeights(q, k, c, operation{tptrs, k, k, c}),
			inverseCholeskyShrink(k))
	}
}

// inverseCholeskyShrink is F := F U⁻¹ on a copy.
func inverseCholeskyShrink(k int) StepFlops {
	return line(StepF, "k³/3", operation{fresh, 0, k * k, 0}, operation{stream, 0, k * k, 0}, operation{ttrsm, k, k, 0})
}

// inverseCholeskyKernel has the steps up to the factor of I + SᵀS.
func inverseCholeskyKernel(q, k int) []StepFlops {
	return []StepFlops{
		seenStep(q, k),
		line(StepKernel, "qk²", operation{fresh, 0, k * (k + 1) / 2, 0}, operation{sprk, 0, k, q}),
		line(StepFactor, "k³/3", operation{pptrf, k, k, 0}),
	}
}

// inverseCholeskyWeights has the step of the weights; solve is what for q > k is solved with the factor
// of order k.
func inverseCholeskyWeights(q, k, c int, solve operation) StepFlops {
	e, v, f := operation{gemmNN, q, c, k}, operation{gemmTN, k, c, q}, operation{trmmL, k, c, 0}
	switch {
	case q <= k:
		return line(StepWeights, "4cqk + q²k + q³/3 + 2cq² + ck²", e,
			operation{gemmtpNT, 0, q, k}, operation{pptrf, q, q, 0}, operation{pptrs, q, q, c}, v, f)
	case solve.kind == pptrs:
		return line(StepWeights, "4cqk + 3ck²", e, v, solve, f)
	default:
		return line(StepWeights, "4cqk + 2ck²", e, v, solve, f)
	}
}

// inverseCholeskyRemoval has the steps of a removal of q rows.
func inverseCholeskyRemoval(q, k, c int) []StepFlops {
	if inverseCholeskyForm(Auto, q, k) == Small {
		steps := inverseCholeskyRows(q, k, c)
		if q > 1 {
			steps[0].work = append(steps[0].work, operation{fresh, 0, k * k, 0}, operation{stream, 0, k * k, 0})
		}
		return steps
	}
	return append(inverseCholeskyKernel(q, k),
		inverseCholeskyWeights(q, k, c, operation{pptrs, k, k, c}),
		inverseCholeskyShrink(k))
}

// inverseCholeskyNodes has the steps of an addition of p nodes.
func inverseCholeskyNodes(s Shape, ridge bool) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	side := line(StepNodesS, "2lp² + 4clp", operation{tpqrt, l, p, c})
	if ridge {
		side = line(StepNodesS, "2(l+k)p² + 4c(l+k)p", operation{tpqrt, l, p, c}, operation{tpqrt, k, p, c})
	}
	wide := k + p
	return append(borderSteps(s, "4k²p", operation{trmmR, p, k, 0}, operation{trmmR, p, k, 0}),
		side,
		line(StepWeights, "cp² + 2ckp", operation{trtrs, p, p, c}, operation{gemmTN, k, c, p}),
		line(StepF, "kp² + p³/3", operation{trtrs, p, p, k}, operation{trtri, p, p, 0},
			operation{fresh, 0, wide * wide, 0}, operation{stream, 0, k * k, 0}))
}
