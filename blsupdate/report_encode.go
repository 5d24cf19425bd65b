package blsupdate

// code writes or reads a report, but for the steps, the flops and the times. The samples are those of the model.
func (r *Report) code(x *coder) {
	if added := int64(r.Added); x.reading() {
		x.signed(&added)
		if added < -mostElements || added > mostElements {
			x.r.Fail("%d samples cannot have been added", added)
			added = 0
		}
		r.Added, r.Samples = int(added), x.samples
	} else {
		x.signed(&added)
	}
	x.int("the form of the last change", (*int)(&r.Form), len(formNames)-1)
	x.int("the start", (*int)(&r.Start), int(StartSVD))
	x.int("the rank of C", &r.RankC, mostElements)
	x.float("the flops of a start that was given up", &r.Abandoned, isLength)
}
