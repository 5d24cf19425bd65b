package blsupdate

// pseudoinverseModel is Model for Original and Improved.
func pseudoinverseModel(m Method, action Action, opt Options, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return pseudoinverseStartModel(opt, s)
	case ActionAdd:
		if opt.C == CAuto && opt.Lambda == 0 && s.L < s.K {
			return wideModel(m, opt, s)
		}
		s.checkC = opt.C == CCheck
		return resolvedModel(m, opt, s)
	case ActionRemove:
		return removalModel(s)
	case ActionNodes:
		way := nodesWay{rank: s.P}
		if s.L < s.K+s.P { // more columns than rows: the new ones are combinations of the others
			way = nodesWay{refined: true, values: true}
		}
		return nodesModel(s, way)
	default:
		return nil
	}
}

// resolvedModel is additionModel in the form that the options stand for.
func resolvedModel(m Method, opt Options, s Shape) []StepFlops {
	form := Small
	if m == Improved {
		form = opt.Resolve(s)
	}
	return additionModel(m, form, opt, s)
}

// wideModel has the steps of an update where A has fewer rows than columns and all rows are as independent as
// they can be: those that come to fewer than k rows complete the row space of A.
func wideModel(m Method, opt Options, s Shape) []StepFlops {
	s.checkC, s.rankC = true, min(s.Q, s.K-s.L)
	if s.rankC == s.Q {
		return resolvedModel(m, opt, s)
	}
	// The batch is taken apart: what led to that, the rows outside the row space so far, and the others.
	whole, beyond, within := s, s, s
	whole.split = true
	beyond.Q = s.rankC
	within.L, within.Q = s.L+s.rankC, s.Q-s.rankC
	within.checkC, within.rankC = false, 0
	var models [][]StepFlops
	for _, part := range []Shape{whole, beyond, within} {
		models = append(models, resolvedModel(m, opt, part))
	}
	return mergeModels(additionSteps, models)
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
