package cost

import "blskernel/blsupdate/types"

// rowsPerOrder is the k/q at which the forms Small and Large take the same time. Small is memory-bound
// and runs on one thread, so flops do not decide. For k = 500, 1000 and 2000 with c = 10 on Zen 4 the
// ratio was 10 on one thread with the backend pure and 9 to 13 with openblas. On two threads it was 10
// to 18 with pure and 10 with openblas.
const rowsPerOrder = 14

// CholeskyForm resolves form to Small or Large, for an update that adds or removes q rows of k nodes.
func CholeskyForm(form types.Form, q, k int) types.Form {
	return smallOrLarge(form, q, k, rowsPerOrder*q > k && q > 1)
}

func CholeskyStart(s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	if s.Start == types.StartQR {
		return []StepFlops{
			Line(StepFactor, "2lk² + 4clk", fresh(k*k), op(Tpqrt, l, k, c)),
			Line(StepSolve, "ck²", op(Trtrs, k, k, c)),
			Line(StepF, "k³/3", routine(Trtri, k), fresh(k*k), stream(k*k)),
		}
	}
	return append(startSteps(l, k, c), Line(StepF, "k³/3", fresh(k*k), routine(Ttrsm, k)))
}

// CholeskyAdd returns the steps of adding q rows. large means a leverage above cholesky.maxKernel.
func CholeskyAdd(form types.Form, q, k, c int, large bool) []StepFlops {
	switch {
	case form == types.Small:
		return choleskyRows(q, k, c)
	case large:
		return []StepFlops{
			choleskySeen(q, k),
			Line(StepFactor, "2qk² + 4cqk", fresh(k*k), op(Tpqrt, q, k, c)),
			Line(StepF, "k³", fresh(k*k), stream(k*k), op(Trtrs, k, k, k)),
			Line(StepWeights, "2cqk + ck²", op(GemmNN, q, c, k), op(TrmmL, k, c, 0)),
		}
	default:
		return choleskyKernel(q, k, c, "4cqk + 2ck²", op(Tptrs, k, k, c))
	}
}

func CholeskyRemove(q, k, c int) []StepFlops {
	if CholeskyForm(types.Auto, q, k) == types.Large {
		return choleskyKernel(q, k, c, "4cqk + 3ck²", op(Pptrs, k, k, c))
	}
	steps := choleskyRows(q, k, c)
	if q > 1 {
		steps[0].Work = append(steps[0].Work, fresh(k*k), stream(k*k))
	}
	return steps
}

func choleskyRows(q, k, c int) []StepFlops {
	weights := repeat(q, op(GemmNN, 1, c, k), op(GemmNN, k, c, 1))
	return []StepFlops{Line(StepF, "3.5qk²", op(Carlson, q, k, 0)), Line(StepWeights, "4cqk", weights...)}
}

// choleskySeen returns the step of the product Ax F.
func choleskySeen(q, k int) StepFlops {
	return Line(StepS, "qk²", fresh(q*k), stream(2*q*k), op(TrmmR, q, k, 0))
}

// choleskyKernel returns the steps of adding or removing q rows with the factor of I ± SᵀS. For q > k,
// solve finds the weights with that factor, and tall is the formula of StepWeights.
func choleskyKernel(q, k, c int, tall string, solve Operation) []StepFlops {
	e, v, f := op(GemmNN, q, c, k), op(GemmTN, k, c, q), op(TrmmL, k, c, 0)
	weights := Line(StepWeights, tall, e, v, solve, f)
	if q <= k {
		weights = Line(StepWeights, "4cqk + q²k + q³/3 + 2cq² + ck²", e,
			fresh(packedLen(q)), op(GemmtpNT, 0, q, k), routine(Pptrf, q), op(Pptrs, q, q, c), v, f)
	}
	return []StepFlops{
		choleskySeen(q, k),
		Line(StepKernel, "qk²", fresh(packedLen(k)), op(Sprk, 0, k, q)),
		Line(StepFactor, "k³/3", routine(Pptrf, k)),
		weights,
		Line(StepF, "k³/3", fresh(k*k), stream(k*k), routine(Ttrsm, k)),
	}
}

func CholeskyNodes(s Shape, ridge bool) []StepFlops {
	k, p, c := s.K, s.P, s.C
	formula, corner := cornerSteps(s, ridge)
	product, wide := op(TrmmR, p, k, 0), k+p
	return append(borderSteps(s, product, product),
		Line(StepNodesS, formula, corner...),
		Line(StepWeights, "cp² + 2ckp", op(Trtrs, p, p, c), op(GemmTN, k, c, p)),
		Line(StepF, "kp² + p³/3", op(Trtrs, p, p, k), routine(Trtri, p), fresh(wide*wide), stream(k*k)))
}
