package bench

import "blskernel/blsupdate"

// Progress is told of the work so far and of all the work, in flops by the model, and of what comes
// next. done/total never falls, and is 1 in the last call.
type Progress func(done, total float64, doing string)

// flops returns about the flops of the experiment, for its progress.
func (e *Incremental) flops() (all float64) {
	for step := range e.Updates + 1 {
		for _, v := range e.Variants {
			all += e.planned(v, step)
		}
		if _, to := e.samples(step); e.Retrain && step > 0 {
			all += e.retraining(blsupdate.Improved, to) + e.retraining(blsupdate.Gram, to)
		}
	}
	return all
}

// planned returns the flops of a step by a variant: of the update and of the solution for the weights.
// It takes the start of A⁺ to be by QR: the features of broad learning are too ill-conditioned for the
// Cholesky factor of AᵀA to be accurate, unless lambda is large.
func (e *Incremental) planned(v Variant, step int) float64 {
	from, to := e.samples(step)
	shape := blsupdate.Shape{L: from, K: e.Nodes(), Q: to - from, C: e.Train.Classes}
	action := blsupdate.ActionAdd
	if step == 0 {
		action = blsupdate.ActionStart
		shape.L, shape.Q, shape.Start = to, 0, blsupdate.StartQR
	}
	return flops(v.Method, action, v.options(e.Update), shape)
}

// retraining returns the flops of a start by the Cholesky factor of AᵀA.
func (e *Incremental) retraining(m blsupdate.Method, l int) float64 {
	shape := blsupdate.Shape{L: l, K: e.Nodes(), C: e.Train.Classes, Start: blsupdate.StartCholesky}
	return flops(m, blsupdate.ActionStart, Variant{Method: m}.options(e.Update), shape)
}

// flops returns those of an action and of the weights after it.
func flops(m blsupdate.Method, action blsupdate.Action, opt blsupdate.Options, s blsupdate.Shape) float64 {
	return blsupdate.Total(blsupdate.Model(m, action, opt, s)) + blsupdate.Total(blsupdate.Model(m, blsupdate.ActionWeights, opt, s))
}
