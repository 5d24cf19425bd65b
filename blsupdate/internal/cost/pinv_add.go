package cost

import (
	"slices"

	"blskernel/blsupdate/internal/api"
)

// Resolve returns the form that Form stands for in an update of Improved by s.Q rows of a model with
// s.K nodes and s.L samples: Small, Large or Compressed. Auto takes Compressed where it has fewer flops
// by the model than Small, as for q > k it has if l is large against k; never Large, which is less
// accurate.
func Resolve(o api.Options, s Shape) api.Form {
	switch {
	case o.Form == api.Small || o.Form == api.Large:
		return o.Form
	case s.Q <= s.K:
		return api.Small
	case o.Form == api.Paper:
		return api.Large
	case o.Form == api.Auto && SumOf(PinvAdd(api.Improved, api.Small, o, AddedShape{Shape: s})) <= SumOf(compressedModel(o, AddedShape{Shape: s})):
		return api.Small
	default:
		return api.Compressed
	}
}

// keptRows returns how many of l rows of D, q numbers each, the workspace holds.
func KeptRows(o api.Options, l, q int) int {
	bytes := o.Workspace
	if bytes == 0 {
		bytes = api.DefaultWorkspace
	}
	return int(min(int64(l), max(0, bytes)/(8*int64(q))))
}

// additionSteps lists the steps of an update in the order of its report.
var PinvAddSteps = []Step{StepCompress, StepD, StepC, StepDbar, StepRank, StepInner, StepInverse, StepB, StepOrthogonal, StepDAgain,
	StepPseudoinverse, StepWeights, StepExpand}

// An addedShape is the sizes of an update of A⁺, and what it decides by the data.
type AddedShape struct {
	Shape
	CheckC bool // whether C is computed
	RankC  int  // its rank; B = (C⁺)ᵀ if that is q
	Large  bool // whether B is computed without DᵀD, since the new rows are large
	Split  bool // whether the batch is then added in two parts, updates of their own
}

// additionModel has the steps of one update of A⁺ by rows, in the form Small, Large or Compressed.
func PinvAdd(m api.Method, form api.Form, opt api.Options, s AddedShape) []StepFlops {
	if form == api.Compressed {
		return compressedModel(opt, s)
	}
	l, k, q, c := s.L, s.K, s.Q, s.C
	kept := KeptRows(opt, l, q)
	steps := []StepFlops{Line(StepD, "2qkl", op(Fresh, 0, kept*q+q*k, 0), op(Stream, 0, 2*q*k, 0), op(GemmNT, l, q, k))}
	dbar := Line(StepDbar, "2qkl", op(Fresh, 0, q*k, 0), op(GemmTN, q, k, l))
	if s.CheckC {
		steps = append(steps, Line(StepC, "2qkl", op(GemmTN, q, k, l)), dbar,
			Line(StepRank, "14 max(q,k) min(q,k)² + 8 min(q,k)³", op(Gesvd, q, k, 0)))
	} else {
		steps = append(steps, dbar)
	}
	inner := Line(StepInner, "q²k", op(Fresh, 0, q*(q+1)/2, 0), op(GemmtpNT, 0, q, k))
	if m == api.Original {
		inner = Line(StepInner, "q²l", op(Fresh, 0, q*(q+1)/2, 0), op(Sprk, 0, q, l))
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
		if m == api.Original { // which has DᵀD before C is known
			steps = append(steps, inner)
		}
		steps = append(steps, Line(StepB, "2q²k", op(Fresh, 0, q*k, 0), op(GemmNT, q, k, q)))
	case form == api.Large:
		steps = append(steps, largeModel(opt, s.Shape)...)
	case s.Large:
		steps = append(steps, inner, Line(StepOrthogonal, "4lq² + 8q³/3 + 2qkl + q²k",
			op(Fresh, 0, (l+q)*q, 0), op(Stream, 0, 2*l*q, 0),
			op(Geqrf, l+q, q, 0), op(Orgqr, l+q, q, 0), op(GemmTN, q, k, l), op(Trtrs, q, q, k)))
	default:
		steps = append(append(steps, inner), smallModel(m == api.Improved && opt.Solve, s.Shape)...)
	}
	if again := l - kept; again > 0 {
		steps = append(steps, Line(StepDAgain, "2qkr, r rows computed twice", op(GemmNT, again, q, k)))
	}
	return append(steps,
		Line(StepPseudoinverse, "2qkl", op(GemmNN, l, k, q)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)))
}

// smallModel has the steps from DᵀD to B.
func smallModel(solve bool, s Shape) []StepFlops {
	k, q := s.K, s.Q
	if solve {
		return []StepFlops{Line(StepInverse, "q³/3", op(Pptrf, q, q, 0)), Line(StepB, "2q²k", op(Fresh, 0, q*k, 0), op(Pptrs, q, q, k))}
	}
	return []StepFlops{Line(StepInverse, "q³", op(Sptrf, q, q, 0), op(Sptri, q, q, 0)), Line(StepB, "2q²k", op(Fresh, 0, q*k, 0), op(SpmmL, q, k, 0))}
}

// largeModel has the steps from Dbar to B.
func largeModel(opt api.Options, s Shape) []StepFlops {
	k, q := s.K, s.Q
	inner := Line(StepInner, "2k²q", op(Fresh, 0, k*k, 0), op(GemmTN, k, k, q))
	if opt.Solve {
		return []StepFlops{inner,
			Line(StepInverse, "2k³/3", op(Getrf, k, k, 0), op(Gecon, 0, k, 0)),
			Line(StepB, "2k²q", op(Fresh, 0, q*k, 0), op(Getrs, k, k, q))}
	}
	return []StepFlops{inner,
		Line(StepInverse, "2k³", op(Getrf, k, k, 0), op(Gecon, 0, k, 0), op(Getri, k, k, 0)),
		Line(StepB, "2k²q", op(Fresh, 0, q*k, 0), op(GemmNT, q, k, k))}
}

// compressedModel has the steps of an update by the k rows of R that stand for q.
func compressedModel(opt api.Options, s AddedShape) []StepFlops {
	inner := s
	inner.Q, opt.Solve = s.K, true
	return slices.Concat(
		[]StepFlops{PinvCompress(s.Shape)},
		PinvAdd(api.Improved, api.Small, opt, inner),
		[]StepFlops{PinvExpand(s.Shape)})
}

func PinvCompress(s Shape) StepFlops {
	return Line(StepCompress, "4qk² - 4k³/3 + 2cqk", op(Fresh, 0, s.Q*s.K, 0), op(Stream, 0, 2*s.Q*s.K, 0), op(Geqrf, s.Q, s.K, 0), op(Orgqr, s.Q, s.K, 0), op(GemmTN, s.K, s.C, s.Q))
}

func PinvExpand(s Shape) StepFlops {
	return Line(StepExpand, "2qk²", op(GemmNN, s.Q, s.K, s.K))
}

// removalModel has the steps of the removal of q of l rows. Their names are those of an addition: it is
// one with another B.
func PinvRemove(s Shape) []StepFlops {
	left, k, q, c := s.L-s.Q, s.K, s.Q, s.C
	return []StepFlops{
		Line(StepInner, "q²k", op(GemmtpNT, 0, q, k)),
		Line(StepInverse, "q³/3", op(Pptrf, q, q, 0)),
		Line(StepB, "2q²k", op(Pptrs, q, q, k)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)),
		Line(StepD, "2qk(l-q)", op(GemmNT, left, q, k)),
		// Beside the product the norm of A⁺ is taken twice, and half of the rows move up, for all one knows.
		Line(StepPseudoinverse, "2qk(l-q)", op(Stream, 0, 3*s.L*k, 0), op(GemmNN, left, k, q)),
	}
}
