package cost

import (
	"slices"

	"blskernel/blsupdate/internal/api"
)

// pseudoinverseModel is Model for Original and Improved.
func PinvModel(m api.Method, action api.Action, opt api.Options, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return PinvStart(opt, s)
	case api.ActionAdd:
		if opt.C != api.CZero && opt.Lambda == 0 && s.L < s.K {
			return wideModel(m, opt, AddedShape{Shape: s, CheckC: true})
		}
		return PinvAdd(m, resolvedForm(m, opt, s), opt, AddedShape{Shape: s, CheckC: opt.C == api.CCheck})
	case api.ActionRemove:
		return PinvRemove(s)
	case api.ActionNodes:
		way := NodesStrategy{Rank: s.P}
		switch {
		case opt.Lambda > 0:
			way.Ridge = true
		case s.L < s.K+s.P: // more columns than rows: the new ones are combinations of the others
			way = NodesStrategy{Refined: true, Values: true}
		}
		return PinvNodes(s, way)
	default:
		return nil
	}
}

// resolvedForm is the form that the options stand for.
func resolvedForm(m api.Method, opt api.Options, s Shape) api.Form {
	if m == api.Original {
		return api.Small
	}
	return Resolve(opt, s)
}

// wideModel has the steps of an update where A has fewer rows than columns and all rows are as independent as
// they can be. The form is that of the whole batch: Compressed is a matter of Ax before anything is known of C.
func wideModel(m api.Method, opt api.Options, s AddedShape) []StepFlops {
	form := resolvedForm(m, opt, s.Shape)
	if form != api.Compressed {
		return completionModel(m, form, opt, s)
	}
	inner := s
	inner.Q, opt.Solve = s.K, true
	return slices.Concat(
		[]StepFlops{PinvCompress(s.Shape)},
		completionModel(m, api.Small, opt, inner),
		[]StepFlops{PinvExpand(s.Shape)})
}

// completionModel has the steps of an update by rows that raise the rank of A from l as far as it goes. Where
// that takes fewer than all of them the batch is taken apart: what led to that, the rows outside the row space
// so far, and the others, by which time C is zero. Only for those the form matters, and Paper resolves it anew.
func completionModel(m api.Method, form api.Form, opt api.Options, s AddedShape) []StepFlops {
	s.RankC = min(s.Q, s.K-s.L)
	if s.RankC == s.Q {
		return PinvAdd(m, form, opt, s)
	}
	whole, beyond, within := s, s, s
	whole.Split = true
	beyond.Q = s.RankC
	within.L, within.Q = s.L+s.RankC, s.Q-s.RankC
	within.CheckC, within.RankC = opt.C == api.CCheck, 0
	if m == api.Improved && opt.Form == api.Paper {
		form = Resolve(opt, within.Shape)
	}
	return MergeModels(PinvAddSteps, [][]StepFlops{
		PinvAdd(m, form, opt, whole),
		PinvAdd(m, form, opt, beyond),
		PinvAdd(m, form, opt, within)})
}

// mergeModels adds models of parts of a batch up, step by step in the given order of the steps.
func MergeModels(steps []Step, models [][]StepFlops) []StepFlops {
	var sum []StepFlops
	for _, step := range steps {
		var all StepFlops
		for _, model := range models {
			for _, s := range model {
				switch {
				case s.Step != step:
				case all.Step == "":
					all = s
				default:
					all = Line(step, "sum over the parts of the batch", append(all.Work[:len(all.Work):len(all.Work)], s.Work...)...)
				}
			}
		}
		if all.Step != "" {
			sum = append(sum, all)
		}
	}
	return sum
}

// pseudoinverseStartModel has the steps of the start from the first rows.
func PinvStart(opt api.Options, s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	weights := Line(StepInitial, "2lkc", op(GemmTN, k, c, l))
	rows, formula := l, "4lk² - 4k³/3"
	if opt.Lambda > 0 {
		rows, formula = l+k, "4(l+k)k² - 4k³/3"
	}
	switch {
	case s.Start == api.StartCholesky:
		return []StepFlops{
			Line(StepGram, "k²l", op(Sprk, 0, k, l)),
			Line(StepFactor, "k³/3", op(Pptrf, k, k, 0)),
			Line(StepStart, "2k²l", op(Pptrs, k, k, l)), weights}
	case s.Start == api.StartQR:
		return []StepFlops{
			Line(StepFactor, formula, op(Geqrf, rows, k, 0), op(Orgqr, rows, k, 0)),
			Line(StepStart, "k²l", op(Trtrs, k, k, l)), weights}
	case l >= k:
		return []StepFlops{
			Line(StepFactor, formula+" + 22k³", op(Geqrf, rows, k, 0), op(Orgqr, rows, k, 0), op(Gesvd, k, k, 0)),
			Line(StepStart, "2k²r + 2lk²", op(GemmNT, k, k, s.Rank), op(GemmNN, l, k, k)), weights}
	default:
		return []StepFlops{
			Line(StepFactor, "14kl² + 8l³", op(Gesvd, l, k, 0)),
			Line(StepStart, "2lkr", op(GemmNT, l, k, s.Rank)), weights}
	}
}
