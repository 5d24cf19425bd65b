package blsupdate

import "slices"

// pseudoinverseModel is Model for Original and Improved.
func pseudoinverseModel(m Method, action Action, opt Options, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return pseudoinverseStartModel(opt, s)
	case ActionAdd:
		if opt.C != CZero && opt.Lambda == 0 && s.L < s.K {
			return wideModel(m, opt, addedShape{Shape: s, checkC: true})
		}
		return additionModel(m, resolvedForm(m, opt, s), opt, addedShape{Shape: s, checkC: opt.C == CCheck})
	case ActionRemove:
		return removalModel(s)
	case ActionNodes:
		way := nodesWay{rank: s.P}
		switch {
		case opt.Lambda > 0:
			way.ridge = true
		case s.L < s.K+s.P: // more columns than rows: the new ones are combinations of the others
			way = nodesWay{refined: true, values: true}
		}
		return nodesModel(s, way)
	default:
		return nil
	}
}

// resolvedForm is the form that the options stand for.
func resolvedForm(m Method, opt Options, s Shape) Form {
	if m == Original {
		return Small
	}
	return Resolve(opt, s)
}

// wideModel has the steps of an update where A has fewer rows than columns and all rows are as independent as
// they can be. The form is that of the whole batch: Compressed is a matter of Ax before anything is known of C.
func wideModel(m Method, opt Options, s addedShape) []StepFlops {
	form := resolvedForm(m, opt, s.Shape)
	if form != Compressed {
		return completionModel(m, form, opt, s)
	}
	inner := s
	inner.Q, opt.Solve = s.K, true
	return slices.Concat(
		[]StepFlops{compressionModel(s.Shape)},
		completionModel(m, Small, opt, inner),
		[]StepFlops{expansionModel(s.Shape)})
}

// completionModel has the steps of an update by rows that raise the rank of A from l as far as it goes. Where
// that takes fewer than all of them the batch is taken apart: what led to that, the rows outside the row space
// so far, and the others, by which time C is zero. Only for those the form matters, and Paper resolves it anew.
func completionModel(m Method, form Form, opt Options, s addedShape) []StepFlops {
	s.rankC = min(s.Q, s.K-s.L)
	if s.rankC == s.Q {
		return additionModel(m, form, opt, s)
	}
	whole, beyond, within := s, s, s
	whole.split = true
	beyond.Q = s.rankC
	within.L, within.Q = s.L+s.rankC, s.Q-s.rankC
	within.checkC, within.rankC = opt.C == CCheck, 0
	if m == Improved && opt.Form == Paper {
		form = Resolve(opt, within.Shape)
	}
	return mergeModels(additionSteps, [][]StepFlops{
		additionModel(m, form, opt, whole),
		additionModel(m, form, opt, beyond),
		additionModel(m, form, opt, within)})
}

// mergeModels adds models of parts of a batch up, step by step in the given order of the steps.
func mergeModels(steps []Step, models [][]StepFlops) []StepFlops {
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
					all = line(step, "sum over the parts of the batch", append(all.work[:len(all.work):len(all.work)], s.work...)...)
				}
			}
		}
		if all.Step != "" {
			sum = append(sum, all)
		}
	}
	return sum
}
