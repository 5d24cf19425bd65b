package cost

import (
	"blskernel/blsupdate/internal/api"
)

// addedByRotations tells whether q rows are added by rotations, in 3qk² + 6cqk flops, or by reflections
// (lapack.AppendRows), in 2qk² + 4cqk. Rotations read and write R once and take 0.7 ns for each of its
// numbers and each row. Reflections look through R before and make panels, for as much and for 0.5 µs a
// column, and take hardly longer for some rows than for one. So one row takes 2 µs instead of 28 at k = 50,
// 0.37 ms instead of 0.87 at k = 1000, and 2.8 ms instead of 5.3 at k = 2000, which is the time of a copy
// of R from memory (one core of Zen 4, c = 10).
func AddedByRotations(q, k int) bool { return q <= 2+1000/k }

// qrModel is Model for QR: of Merge for a state without a ridge, and of SetLambda for a larger one.
// Otherwise the ridge has to be lowered, which the Report has.
func QRModel(action api.Action, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return QRAdd(s.L, s.K, s.C)
	case api.ActionAdd:
		return QRAdd(s.Q, s.K, s.C)
	case api.ActionWeights:
		return QRSolve(s.K, s.C)
	case api.ActionRemove:
		return QRRemove(s.Q, s.K, s.C)
	case api.ActionNodes:
		return QRNodes(s, false)
	case api.ActionMerge, api.ActionRidge:
		return QRMerge(s.K, s.C, false)
	default:
		return nil
	}
}

// qrAddition has the steps of an addition of q rows.
func QRAdd(q, k, c int) []StepFlops {
	if AddedByRotations(q, k) {
		return []StepFlops{Line(StepTriangle, "3qk² + 6cqk", op(Chud, q, k, c))}
	}
	return []StepFlops{Line(StepTriangle, "2qk² + 4cqk", op(Stream, 0, q*c, 0), op(Tpqrt, q, k, c))}
}

// qrSolution has the steps of the solution for the weights.
func QRSolve(k, c int) []StepFlops {
	return []StepFlops{Line(StepSolve, "ck²", op(Stream, 0, k*c, 0), op(Trtrs, k, k, c))}
}

// qrRemoval has the steps of a removal of q rows.
func QRRemove(q, k, c int) []StepFlops {
	p := op(Trtrs, k, k, q)
	if RemovedByRows(q, k) {
		return []StepFlops{
			Line(StepLeverage, "qk² + q²k + 2q³/3", p, op(GemmtpNT, 0, q, k), op(Pptrf, q, q, 0), op(Ttrmm, q, q, 0)),
			Line(StepTriangle, "3qk² + 8cqk + 3q²k + cq²", op(GemmNN, q, c, k), op(Tptrs, q, q, c), op(Chdd, q, k, c))}
	}
	half := k * (k + 1) / 2
	return []StepFlops{
		Line(StepLeverage, "2qk² + k³/3", p, op(Fresh, 0, half, 0), op(Sprk, 0, k, q), op(Pptrf, k, k, 0)),
		Line(StepTriangle, "k³/3 + 2cqk + ck²", op(GemmTN, k, c, q), op(Tptrs, k, k, c), op(Ttrmm, k, k, 0))}
}

// qrMerger has the steps of a merger of two states; the ridge of the other one is taken off if it has
// one.
func QRMerge(k, c int, ridge bool) []StepFlops {
	merge := []Operation{{Fresh, 0, k * k, 0}, {Stream, 0, k * k, 0}, {Ttqrt, k, k, c}}
	if !ridge {
		return []StepFlops{Line(StepTriangle, "2k³/3 + 2ck²", merge...)}
	}
	steps := QRLower(k, c)
	steps[1] = Line(StepTriangle, "k³ + 3ck²", append(merge, steps[1].Work...)...)
	return steps
}

// qrLowering has the steps of SetLambda for a smaller ridge.
func QRLower(k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		Line(StepLeverage, "5k³/3", op(Fresh, 0, k*k+half, 0), op(Trtri, k, k, 0), op(Sprk, 0, k, k), op(Pptrf, k, k, 0)),
		Line(StepTriangle, "k³/3 + ck²", op(Tptrs, k, k, c), op(Ttrmm, k, k, 0))}
}

// qrNodes has the steps of an addition of p nodes.
func QRNodes(s Shape, ridge bool) []StepFlops {
	k, p, l, c := s.K, s.P, s.L, s.C
	solve := op(Trtrs, k, k, p)
	triangle, formula := []Operation{{Tpqrt, l, p, c}}, "2lp² + 4clp + k²p"
	if ridge {
		triangle, formula = append(triangle, op(Tpqrt, k, p, c)), "2(l+k)p² + 4c(l+k)p + k²p"
	}
	wide := (k + p) * (k + p)
	return []StepFlops{
		Line(StepNodes, "8klp + 4k²p", op(Fresh, 0, k*k+l*p, 0), op(Trcon, k, k, 0),
			op(GemmTN, k, p, l), solve, solve, op(GemmNN, l, p, k),
			op(GemmTN, k, p, l), solve, solve, op(GemmNN, l, p, k)),
		Line(StepTriangle, formula, append(triangle, op(TrmmL, k, p, 0), op(Fresh, 0, wide, 0), op(Stream, 0, wide, 0))...)}
}

// removedByRows tells whether q rows are removed by downdate, in 4qk² flops of which most are
// rotations, or by shrink, in 2qk² + 2k³/3.
func RemovedByRows(q, k int) bool { return q <= k/removedShare }

// removedShare is the share of k up to which downdate is the faster way. On one core of Zen 4, at k =
// 1000 and 2000, both take the same time at k/8 with the backend pure, and at about k/5 with OpenBLAS,
// where the smaller products of shrink are slower.
const removedShare = 8
