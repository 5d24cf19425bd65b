package bench

import "blskernel/blsupdate"

// plan returns the flops that the model expects of each step by each variant, in the order in which
// they run: those of the update and of the solution for the weights, and of retraining where that is
// measured. It takes every A to have as many independent rows as it can, and the start of A⁺ to be by
// QR: the features of broad learning are too ill-conditioned for the Cholesky factor of AᵀA to be
// accurate, unless lambda is large. Retraining is by that factor all the same.
func (e *Incremental) plan() []float64 {
	k, c := e.Nodes(), e.Train.Classes
	flops := func(v Variant, action blsupdate.Action, s blsupdate.Shape) float64 {
		opt := v.options(e.Update)
		return blsupdate.Total(blsupdate.Model(v.Method, action, opt, s)) + blsupdate.Total(blsupdate.Model(v.Method, blsupdate.ActionWeights, opt, s))
	}
	start := func(l int) blsupdate.Shape {
		if l < k {
			return blsupdate.Shape{L: l, K: k, C: c, Start: blsupdate.StartSVD, Rank: l}
		}
		return blsupdate.Shape{L: l, K: k, C: c, Start: blsupdate.StartQR}
	}
	var all []float64
	first := 0
	if e.Resume != nil {
		first = e.Resume.Steps
	}
	for step := max(0, first-1); step <= e.Updates; step++ {
		from, to := e.samples(step)
		for _, i := range e.order(step) {
			v := e.Variants[i]
			if step == 0 || step < first {
				all = append(all, flops(v, blsupdate.ActionStart, start(to)))
			} else {
				all = append(all, flops(v, blsupdate.ActionAdd, blsupdate.Shape{L: from, K: k, Q: to - from, C: c}))
			}
		}
		if e.Retrain && step > 0 && step >= first {
			scratch := blsupdate.Shape{L: to, K: k, C: c, Start: blsupdate.StartCholesky}
			all = append(all, flops(Variant{Method: blsupdate.Improved}, blsupdate.ActionStart, scratch), flops(Variant{Method: blsupdate.Gram}, blsupdate.ActionStart, scratch))
		}
	}
	return all
}
