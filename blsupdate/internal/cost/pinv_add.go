package cost

import (
	"slices"

	"blskernel/blsupdate/internal/api"
)

// An AddedShape has the sizes of an update of A⁺ by rows, and what the data decided.
type AddedShape struct {
	Shape
	CheckC bool // C is computed
	RankC  int  // its rank; B = (C⁺)ᵀ if that is q
	Large  bool // B is computed without DᵀD, since the new rows are large
	Split  bool // the batch is then added in two parts, as updates of their own
}

// KeptRows returns how many of l rows of D, of q numbers each, fit into the workspace.
func KeptRows(o api.Options, l, q int) int {
	bytes := o.Workspace
	if bytes == 0 {
		bytes = api.DefaultWorkspace
	}
	return int(min(int64(l), max(0, bytes)/(8*int64(q))))
}

// PinvAdd has the steps of one update of A⁺ by rows, in the form Small, Large or Compressed.
func PinvAdd(m api.Method, form api.Form, opt api.Options, s AddedShape) []StepFlops {
	l, k, q, c := s.L, s.K, s.Q, s.C
	if form == api.Compressed {
		inner := s
		inner.Q, opt.Solve = k, true
		return PinvCompressed(s.Shape, PinvAdd(api.Improved, api.Small, opt, inner))
	}
	kept := KeptRows(opt, l, q)
	steps := []StepFlops{Line(StepD, "2qkl", fresh(kept*q+q*k), stream(2*q*k), op(GemmNT, l, q, k))}
	dbar := Line(StepDbar, "2qkl", fresh(q*k), op(GemmTN, q, k, l))
	if s.CheckC {
		steps = append(steps, Line(StepC, "2qkl", op(GemmTN, q, k, l)), dbar,
			Line(StepRank, "14 max(q,k) min(q,k)² + 8 min(q,k)³", op(Gesvd, q, k, 0)))
	} else {
		steps = append(steps, dbar)
	}
	inner := Line(StepInner, "q²k", fresh(packedLen(q)), op(GemmtpNT, 0, q, k))
	if m == api.Original { // which has DᵀD before C is known
		inner = Line(StepInner, "q²l", fresh(packedLen(q)), op(Sprk, 0, q, l))
	}
	switch {
	case s.Split:
		if s.RankC > 0 {
			steps = append(steps, Line(StepRank, "2 max(q,k) min(q,k)² - 2 min(q,k)³/3", op(Geqp3, k, q, 0)))
		}
		if s.RankC == 0 || m == api.Original {
			steps = append(steps, inner)
		}
		return steps
	case s.RankC > 0:
		if m == api.Original {
			steps = append(steps, inner)
		}
		steps = append(steps, Line(StepB, "2q²k", fresh(q*k), op(GemmNT, q, k, q)))
	case form == api.Large:
		steps = append(steps, pinvLarge(opt.Solve, k, q)...)
	case s.Large:
		steps = append(steps, inner, Line(StepOrthogonal, "4lq² + 8q³/3 + 2qkl + q²k", fresh((l+q)*q), stream(2*l*q),
			op(Geqrf, l+q, q, 0), op(Orgqr, l+q, q, 0), op(GemmTN, q, k, l), op(Trtrs, q, q, k)))
	case m == api.Improved && opt.Solve:
		steps = append(steps, inner, Line(StepInverse, "q³/3", routine(Pptrf, q)),
			Line(StepB, "2q²k", fresh(q*k), op(Pptrs, q, q, k)))
	default:
		steps = append(steps, inner, Line(StepInverse, "q³", routine(Sptrf, q), routine(Sptri, q)),
			Line(StepB, "2q²k", fresh(q*k), op(SpmmL, q, k, 0)))
	}
	if again := l - kept; again > 0 {
		steps = append(steps, Line(StepDAgain, "2qkr, r rows computed twice", op(GemmNT, again, q, k)))
	}
	return append(steps,
		Line(StepPseudoinverse, "2qkl", op(GemmNN, l, k, q)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)))
}

// pinvLarge has the steps from Dbar to B in the form Large.
func pinvLarge(solve bool, k, q int) []StepFlops {
	inner := Line(StepInner, "2k²q", fresh(k*k), op(GemmTN, k, k, q))
	if solve {
		return []StepFlops{inner,
			Line(StepInverse, "2k³/3", routine(Getrf, k), op(Gecon, 0, k, 0)),
			Line(StepB, "2k²q", fresh(q*k), op(Getrs, k, k, q))}
	}
	return []StepFlops{inner,
		Line(StepInverse, "2k³", routine(Getrf, k), op(Gecon, 0, k, 0), routine(Getri, k)),
		Line(StepB, "2k²q", fresh(q*k), op(GemmNT, q, k, k))}
}

// PinvCompressed encloses the steps of an update by the k rows of R in the compression of q rows and the expansion of B.
func PinvCompressed(s Shape, inner []StepFlops) []StepFlops {
	q, k, c := s.Q, s.K, s.C
	return slices.Concat(
		[]StepFlops{Line(StepCompress, "4qk² - 4k³/3 + 2cqk", fresh(q*k), stream(2*q*k),
			op(Geqrf, q, k, 0), op(Orgqr, q, k, 0), op(GemmTN, k, c, q))},
		inner,
		[]StepFlops{Line(StepExpand, "2qk²", op(GemmNN, q, k, k))})
}
