package bench

import "blskernel/blsupdate"

// plan returns the flops that the model expects of each step by each method, in the order in which
// they run: those of the update and of the solution for the weights. It takes every A to have as many
// independent rows as it can, and the start of A⁺ to be by QR: the features of broad learning are too
// ill-conditioned for the Cholesky factor of AᵀA, unless lambda is large.
func (e *Incremental) plan() []float64 {
	k, c := e.Nodes(), e.Train.Classes
	var flops []float64
	add := func(action blsupdate.Action, s blsupdate.Shape) {
		for _, m := range e.Methods {
			flops = append(flops, blsupdate.Total(blsupdate.Model(m, action, e.Update, s))+
				blsupdate.Total(blsupdate.Model(m, blsupdate.ActionWeights, e.Update, s)))
		}
	}
	start := blsupdate.Shape{L: e.Initial, K: k, C: c, Start: blsupdate.StartQR}
	if e.Initial < k {
		start.Start, start.Rank = blsupdate.StartSVD, e.Initial
	}
	add(blsupdate.ActionStart, start)
	for i := range e.Updates {
		add(blsupdate.ActionAdd, blsupdate.Shape{L: e.Initial + i*e.Batch, K: k, Q: e.Batch, C: c})
	}
	return flops
}
