package cost

import "blskernel/blsupdate/internal/api"

// pinvModel is Model for Original and Improved.
func pinvModel(m api.Method, action api.Action, opt api.Options, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return PinvStart(opt, s)
	case api.ActionAdd:
		form := api.Small
		if m == api.Improved {
			form = Resolve(opt, s)
		}
		if opt.C != api.CZero && opt.Lambda == 0 && s.L < s.K {
			return wideModel(m, form, opt, AddedShape{Shape: s, CheckC: true})
		}
		return PinvAdd(m, form, opt, AddedShape{Shape: s, CheckC: opt.C == api.CCheck})
	case api.ActionRemove:
		return PinvRemove(s)
	case api.ActionNodes:
		how := NodesStrategy{Rank: s.P}
		switch {
		case opt.Lambda > 0:
			how.Ridge = true
		case s.L < s.K+s.P: // more columns than rows: the new ones are combinations of the others
			how = NodesStrategy{Refined: true, Values: true}
		}
		return PinvNodes(s, how)
	default:
		return nil
	}
}

// Resolve returns the form that opt.Form stands for in an update of Improved by s.Q rows of a model with s.K nodes and
// s.L samples: Small, Large or Compressed. Auto takes Compressed where it has fewer flops than Small, for q > k and l
// large against k. It never takes Large, which is less accurate.
func Resolve(opt api.Options, s Shape) api.Form {
	switch {
	case opt.Form == api.Small || opt.Form == api.Large:
		return opt.Form
	case s.Q <= s.K:
		return api.Small
	case opt.Form == api.Paper:
		return api.Large
	}
	small := func(form api.Form) Thirds { return Sum(PinvAdd(api.Improved, form, opt, AddedShape{Shape: s})) }
	if opt.Form == api.Auto && small(api.Small) <= small(api.Compressed) {
		return api.Small
	}
	return api.Compressed
}

// wideModel has the steps of an update where A has fewer rows than columns and all rows are independent. The form is
// that of the whole batch: Compressed is decided before C is known.
func wideModel(m api.Method, form api.Form, opt api.Options, s AddedShape) []StepFlops {
	if form != api.Compressed {
		return completionModel(m, form, opt, s)
	}
	inner := s
	inner.Q, opt.Solve = s.K, true
	return PinvCompressed(s.Shape, completionModel(m, api.Small, opt, inner))
}

// completionModel has the steps of an update whose rows raise the rank of A up to k. Where that takes only some of the
// rows, they are added in two parts: those outside the row space, and then the others, for which C is zero. Only the
// second part has a form, and Paper resolves it for that part alone.
func completionModel(m api.Method, form api.Form, opt api.Options, s AddedShape) []StepFlops {
	s.RankC = min(s.Q, s.K-s.L)
	if s.RankC == s.Q {
		return PinvAdd(m, form, opt, s)
	}
	whole, outside, inside := s, s, s
	whole.Split = true
	outside.Q = s.RankC
	inside.L, inside.Q = s.L+s.RankC, s.Q-s.RankC
	inside.CheckC, inside.RankC = opt.C == api.CCheck, 0
	if m == api.Improved && opt.Form == api.Paper {
		form = Resolve(opt, inside.Shape)
	}
	return MergeModels(PinvAdd(m, form, opt, whole), PinvAdd(m, form, opt, outside), PinvAdd(m, form, opt, inside))
}

// pinvOrder lists the steps of an update of A⁺ in the order of its report.
var pinvOrder = []Step{StepCompress, StepD, StepC, StepDbar, StepNodesD, StepNodesC, StepNodesAgain, StepRank, StepInner,
	StepInverse, StepB, StepOrthogonal, StepNodesB, StepNodesW, StepNodesPseudoinverse, StepDAgain, StepPseudoinverse,
	StepWeights, StepExpand}

// MergeModels adds the models of the parts of a batch, step by step.
func MergeModels(models ...[]StepFlops) []StepFlops {
	var sum []StepFlops
	for _, step := range pinvOrder {
		var all StepFlops
		for _, model := range models {
			for _, s := range model {
				switch {
				case s.Step != step:
				case all.Step == "":
					all = s
				default:
					all = Line(step, "sum over the parts of the batch", append(all.work[:len(all.work):len(all.work)], s.work...)...)
				}
			}
		}
		if all.Step != "" {
			sum = append(sum, all)
		}
	}
	return sum
}

// PinvStart has the steps of a start.
func PinvStart(opt api.Options, s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	weights := Line(StepInitial, "2lkc", op(GemmTN, k, c, l))
	rows, formula := l, "4lk² - 4k³/3"
	if opt.Lambda > 0 {
		rows, formula = l+k, "4(l+k)k² - 4k³/3"
	}
	factor, q := op(Geqrf, rows, k, 0), op(Orgqr, rows, k, 0)
	switch {
	case s.Start == api.StartCholesky:
		return []StepFlops{
			Line(StepGram, "k²l", op(Sprk, 0, k, l)),
			Line(StepFactor, "k³/3", routine(Pptrf, k)),
			Line(StepStart, "2k²l", op(Pptrs, k, k, l)), weights}
	case s.Start == api.StartQR:
		return []StepFlops{Line(StepFactor, formula, factor, q), Line(StepStart, "k²l", op(Trtrs, k, k, l)), weights}
	case l >= k:
		return []StepFlops{
			Line(StepFactor, formula+" + 22k³", factor, q, op(Gesvd, k, k, 0)),
			Line(StepStart, "2k²r + 2lk²", op(GemmNT, k, k, s.Rank), op(GemmNN, l, k, k)), weights}
	default:
		return []StepFlops{
			Line(StepFactor, "14kl² + 8l³", op(Gesvd, l, k, 0)),
			Line(StepStart, "2lkr", op(GemmNT, l, k, s.Rank)), weights}
	}
}

// PinvRemove has the steps of q removed rows of l. A removal is an addition with another B, so the steps have its names.
func PinvRemove(s Shape) []StepFlops {
	left, k, q, c := s.L-s.Q, s.K, s.Q, s.C
	return []StepFlops{
		Line(StepInner, "q²k", op(GemmtpNT, 0, q, k)),
		Line(StepInverse, "q³/3", routine(Pptrf, q)),
		Line(StepB, "2q²k", op(Pptrs, q, q, k)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)),
		Line(StepD, "2qk(l-q)", op(GemmNT, left, q, k)),
		// The norm of A⁺ is taken twice, and half of the rows move up on average.
		Line(StepPseudoinverse, "2qk(l-q)", stream(3*s.L*k), op(GemmNN, left, k, q)),
	}
}
