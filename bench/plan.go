package bench

import "blskernel/blsupdate"

// plan returns the flops that the model expects of each step by each method, in the order in which
// they run. It takes every A to have as many independent rows as it can, and the start to be by QR:
// the features of broad learning are too ill-conditioned for the Cholesky factor of AᵀA, unless
// lambda is large.
func (e *Incremental) plan() []float64 {
	k, c := e.Nodes(), e.Train.Classes
	var flops []float64
	start := blsupdate.StartQR
	if e.Initial < k {
		start = blsupdate.StartSVD
	}
	for range e.Methods {
		flops = append(flops, blsupdate.Total(blsupdate.InitialModel(start, e.Update.Lambda > 0, min(e.Initial, k), e.Initial, k, c)))
	}
	for i := range e.Updates {
		s := blsupdate.Shape{L: e.Initial + i*e.Batch, K: k, Q: e.Batch, C: c}
		if s.L < k {
			s.CheckC, s.RankC = true, min(s.Q, k-s.L)
		}
		for _, m := range e.Methods {
			flops = append(flops, blsupdate.Total(blsupdate.Model(m, e.Update.Form, s)))
		}
	}
	return flops
}
