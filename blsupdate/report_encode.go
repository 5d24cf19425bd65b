package blsupdate

// codeReport writes or reads a report, but for the steps, the flops and the times. The samples are those of the model.
func codeReport(x *coder, r *Report) {
	added := int64(r.Added)
	x.signed(&added)
	can := -mostElements <= added && added <= mostElements
	x.check(can, "%d samples cannot have been added", added)
	if x.reading() && can {
		r.Added, r.Samples = int(added), x.samples
	}
	x.int("the form of the last change", (*int)(&r.Form), len(formNames)-1)
	x.int("the start", (*int)(&r.Start), len(startNames)-1)
	x.int("the rank of C", &r.RankC, mostElements)
	x.float("the flops of a start that was given up", &r.Abandoned, isLength)
}
