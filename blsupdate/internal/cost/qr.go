package cost

// AddsByRotations reports whether q rows are added by rotations, in 3qk² + 6cqk flops, rather than by
// reflections (lapack.AppendRows), in 2qk² + 4cqk. Rotations read and write R once and take 0.7 ns per
// element and row. Reflections first scan R, which takes as long as the rotations of one row, and form
// panels, which takes 0.5 µs per column; a few rows take hardly longer than one. On one core of Zen 4
// with c = 10, adding one row takes 2 µs by rotations and 28 µs by reflections at k = 50, 0.37 and 0.87
// ms at k = 1000, and 2.8 and 5.3 ms at k = 2000, where copying R takes 2.8 ms.
func AddsByRotations(q, k int) bool { return q <= 2+1000/max(1, k) }

// RemovesByRows reports whether q rows are removed by qr.State.downdate, in 4qk² flops, mostly in
// rotations, rather than by qr.State.shrink, in 2qk² + 2k³/3. On one core of Zen 4 at k = 1000 and 2000
// both take the same time at q = k/8 with the backend pure, and at about k/5 with OpenBLAS.
func RemovesByRows(q, k int) bool { return q <= k/8 }

func QRAdd(q, k, c int) []StepFlops {
	if AddsByRotations(q, k) {
		return []StepFlops{Line(StepTriangle, "3qk² + 6cqk", op(Chud, q, k, c))}
	}
	return []StepFlops{Line(StepTriangle, "2qk² + 4cqk", stream(q*c), op(Tpqrt, q, k, c))}
}

func QRSolve(k, c int) []StepFlops {
	return []StepFlops{Line(StepSolve, "ck²", stream(k*c), op(Trtrs, k, k, c))}
}

func QRRemove(q, k, c int) []StepFlops {
	p := op(Trtrs, k, k, q)
	if RemovesByRows(q, k) {
		return []StepFlops{
			Line(StepLeverage, "qk² + q²k + 2q³/3", p, op(GemmtpNT, 0, q, k), routine(Pptrf, q), routine(Ttrmm, q)),
			Line(StepTriangle, "3qk² + 8cqk + 3q²k + cq²", op(GemmNN, q, c, k), op(Tptrs, q, q, c), op(Chdd, q, k, c))}
	}
	return []StepFlops{
		Line(StepLeverage, "2qk² + k³/3", p, fresh(packedLen(k)), op(Sprk, 0, k, q), routine(Pptrf, k)),
		Line(StepTriangle, "k³/3 + 2cqk + ck²", op(GemmTN, k, c, q), op(Tptrs, k, k, c), routine(Ttrmm, k))}
}

// QRMerge returns the steps of a merge. ridge means that the other state has a ridge to remove.
func QRMerge(k, c int, ridge bool) []StepFlops {
	merge := []Operation{fresh(k * k), stream(k * k), op(Ttqrt, k, k, c)}
	if !ridge {
		return []StepFlops{Line(StepTriangle, "2k³/3 + 2ck²", merge...)}
	}
	steps := QRLower(k, c)
	steps[1] = Line(StepTriangle, "k³ + 3ck²", append(merge, steps[1].Work...)...)
	return steps
}

func QRLower(k, c int) []StepFlops {
	return []StepFlops{
		Line(StepLeverage, "5k³/3", fresh(k*k+packedLen(k)), routine(Trtri, k), op(Sprk, 0, k, k), routine(Pptrf, k)),
		Line(StepTriangle, "k³/3 + ck²", op(Tptrs, k, k, c), routine(Ttrmm, k))}
}

func QRNodes(s Shape, ridge bool) []StepFlops {
	k, p, l := s.K, s.P, s.L
	g, solve, rest := op(GemmTN, k, p, l), op(Trtrs, k, k, p), op(GemmNN, l, p, k)
	formula, triangle := cornerSteps(s, ridge)
	wide := (k + p) * (k + p)
	return []StepFlops{
		Line(StepNodesC, "8klp + 4k²p", fresh(k*k+l*p), routine(Trcon, k), g, solve, solve, rest, g, solve, solve, rest),
		Line(StepTriangle, formula+" + k²p", append(triangle, op(TrmmL, k, p, 0), fresh(wide), stream(wide))...)}
}

// NodesResidual returns the step that computes the residuals that replace Y when nodes are added.
func NodesResidual(s Shape) []StepFlops {
	return []StepFlops{Line(StepWeights, "2clk", op(GemmNN, s.L, s.C, s.K))}
}

// NodesAgain returns the step that repeats Corner with other targets.
func NodesAgain(s Shape, ridge bool) []StepFlops {
	formula, triangle := cornerSteps(s, ridge)
	return []StepFlops{Line(StepTriangle, formula, triangle...)}
}

// NodesRidge returns the additional step of RidgeInverse that computes lambda DᵀW.
func NodesRidge(s Shape) []StepFlops {
	return []StepFlops{Line(StepWeights, "2ckp", op(GemmNN, s.P, s.C, s.K))}
}

// cornerSteps returns the formula and the operations of state.Base.Corner.
func cornerSteps(s Shape, ridge bool) (formula string, work []Operation) {
	work = []Operation{op(Tpqrt, s.L, s.P, s.C)}
	if !ridge {
		return "2lp² + 4clp", work
	}
	return "2(l+k)p² + 4c(l+k)p", append(work, op(Tpqrt, s.K, s.P, s.C))
}
