package cost

import (
	"blskernel/blsupdate/internal/api"
)

// inverseCholeskyModel is Model for InverseCholesky.
func CholeskyModel(action api.Action, opt api.Options, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return CholeskyStart(s)
	case api.ActionAdd:
		return CholeskyAdd(CholeskyForm(opt.Form, s.Q, s.K), s.Q, s.K, s.C, false)
	case api.ActionRemove:
		return CholeskyRemove(s.Q, s.K, s.C)
	case api.ActionNodes:
		return CholeskyNodes(s, opt.Lambda > 0)
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
func CholeskyForm(form api.Form, q, k int) api.Form {
	switch form {
	case api.Small, api.Large:
		return form
	case api.Paper:
		if q <= k {
			return api.Small
		}
		return api.Large
	default:
		if rowsPerOrder*q <= k || q == 1 {
			return api.Small
		}
		return api.Large
	}
}

func CholeskyStart(s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	square := op(Fresh, 0, k*k, 0)
	if s.Start == api.StartQR {
		return []StepFlops{
			Line(StepFactor, "2lk² + 4clk", square, op(Tpqrt, l, k, c)),
			Line(StepSolve, "ck²", op(Trtrs, k, k, c)),
			Line(StepF, "k³/3", op(Trtri, k, k, 0), square, op(Stream, 0, k*k, 0)),
		}
	}
	return append(startSteps(l, k, c), Line(StepF, "k³/3", square, op(Ttrsm, k, k, 0)))
}

// inverseCholeskyRows has the steps of an addition, or a removal, row by row.
func choleskyRows(q, k, c int) []StepFlops {
	weights := Line(StepWeights, "4cqk")
	for range q {
		weights.Work = append(weights.Work, op(GemmNN, 1, c, k), op(GemmNN, k, c, 1))
	}
	return []StepFlops{Line(StepF, "3.5qk²", op(Carlson, q, k, 0)), weights}
}

// seenStep is the product Ax F.
func seenStep(q, k int) StepFlops {
	return Line(StepS, "qk²", op(Stream, 0, 2*q*k, 0), op(TrmmR, q, k, 0))
}

// inverseCholeskyAddition has the steps of an addition; large is whether the new rows are large, see
// mostKernel.
func CholeskyAdd(form api.Form, q, k, c int, large bool) []StepFlops {
	switch {
	case form == api.Small:
		return choleskyRows(q, k, c)
	case large:
		return []StepFlops{
			seenStep(q, k),
			Line(StepFactor, "2qk² + 4cqk", op(Fresh, 0, k*k, 0), op(Tpqrt, q, k, c)),
			Line(StepF, "k³", op(Fresh, 0, k*k, 0), op(Stream, 0, k*k, 0), op(Trtrs, k, k, k)),
			Line(StepWeights, "2cqk + ck²", op(GemmNN, q, c, k), op(TrmmL, k, c, 0)),
		}
	default:
		return append(choleskyKernel(q, k),
			choleskyWeights(q, k, c, op(Tptrs, k, k, c)),
			choleskyShrink(k))
	}
}

// inverseCholeskyShrink is F := F U⁻¹ on a copy.
func choleskyShrink(k int) StepFlops {
	return Line(StepF, "k³/3", op(Fresh, 0, k*k, 0), op(Stream, 0, k*k, 0), op(Ttrsm, k, k, 0))
}

// inverseCholeskyKernel has the steps up to the factor of I + SᵀS.
func choleskyKernel(q, k int) []StepFlops {
	return []StepFlops{
		seenStep(q, k),
		Line(StepKernel, "qk²", op(Fresh, 0, k*(k+1)/2, 0), op(Sprk, 0, k, q)),
		Line(StepFactor, "k³/3", op(Pptrf, k, k, 0)),
	}
}

// inverseCholeskyWeights has the step of the weights; solve is what for q > k is solved with the factor
// of order k.
func choleskyWeights(q, k, c int, solve Operation) StepFlops {
	e, v, f := op(GemmNN, q, c, k), op(GemmTN, k, c, q), op(TrmmL, k, c, 0)
	switch {
	case q <= k:
		return Line(StepWeights, "4cqk + q²k + q³/3 + 2cq² + ck²", e,
			op(GemmtpNT, 0, q, k), op(Pptrf, q, q, 0), op(Pptrs, q, q, c), v, f)
	case solve.Kind == Pptrs:
		return Line(StepWeights, "4cqk + 3ck²", e, v, solve, f)
	default:
		return Line(StepWeights, "4cqk + 2ck²", e, v, solve, f)
	}
}

// inverseCholeskyRemoval has the steps of a removal of q rows.
func CholeskyRemove(q, k, c int) []StepFlops {
	if CholeskyForm(api.Auto, q, k) == api.Small {
		steps := choleskyRows(q, k, c)
		if q > 1 {
			steps[0].Work = append(steps[0].Work, op(Fresh, 0, k*k, 0), op(Stream, 0, k*k, 0))
		}
		return steps
	}
	return append(choleskyKernel(q, k),
		choleskyWeights(q, k, c, op(Pptrs, k, k, c)),
		choleskyShrink(k))
}

// inverseCholeskyNodes has the steps of an addition of p nodes.
func CholeskyNodes(s Shape, ridge bool) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	side := Line(StepNodesS, "2lp² + 4clp", op(Tpqrt, l, p, c))
	if ridge {
		side = Line(StepNodesS, "2(l+k)p² + 4c(l+k)p", op(Tpqrt, l, p, c), op(Tpqrt, k, p, c))
	}
	wide := k + p
	return append(borderSteps(s, "4k²p", op(TrmmR, p, k, 0), op(TrmmR, p, k, 0)),
		side,
		Line(StepWeights, "cp² + 2ckp", op(Trtrs, p, p, c), op(GemmTN, k, c, p)),
		Line(StepF, "kp² + p³/3", op(Trtrs, p, p, k), op(Trtri, p, p, 0),
			op(Fresh, 0, wide*wide, 0), op(Stream, 0, k*k, 0)))
}
