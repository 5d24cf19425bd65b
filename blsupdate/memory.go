package blsupdate

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
)

// StateBytes returns the bytes of the state of a model of l samples, k nodes and c targets, or
// math.MaxInt64 where that overflows. New allocates as much beside its arguments.
//
//	Gram, RidgeInverse    4k(k+1) + 8kc
//	QR, InverseCholesky   8k² + 8kc
//	Improved, Original    8lk + 8kc
//
// Left out are numbers that do not grow with l k or k², the factor that Weights makes in Gram, and A
// while C is computed.
//
//	panics: "blsupdate: StateBytes: negative size".
func StateBytes(m Method, l, k, c int) int64 {
	if l < 0 || k < 0 || c < 0 {
		panic("blsupdate: StateBytes: negative size")
	}
	w := memory.Floats(k, c)
	switch m {
	case Gram, RidgeInverse:
		return memory.Sum(memory.Triangle(k), w)
	case QR, InverseCholesky:
		return memory.Sum(memory.Floats(k, k), w)
	default:
		return memory.Sum(memory.Floats(l, k), w)
	}
}

// checkStartMemory returns a *MemoryError where the state of a start does not fit.
func checkStartMemory(m Method, l, k, c int) error {
	return memory.Check(StateBytes(m, l, k, c), "blsupdate", state.Smaller(api.Method(m)),
		"a model by %v of %d samples, %d nodes and %d targets", m, l, k, c)
}

// checkAddMemory returns a *MemoryError where there is no memory for what an update by q rows allocates
// at once: weighted bytes for scaled rows; Ax and the kept part of D, or Ax and B, in Original and
// Improved; the copy of the state that a context needs in Gram and QR. The methods check other copies
// themselves.
func (u *updater) checkAddMemory(ctx context.Context, q int, weighted int64) error {
	k, c := u.Nodes(), u.Targets()
	bytes := weighted
	switch u.method {
	case Original, Improved:
		opt, rows := u.state.Common().Options, memory.Floats(q, k)
		d := func(columns int) int64 { return memory.Floats(cost.KeptRows(opt, u.samples, columns), columns) }
		bytes = memory.Sum(bytes, rows, max(rows, min(d(q), d(min(q, k)))))
	case Gram, QR:
		if state.ManyPanels(ctx, q) {
			bytes = memory.Sum(bytes, StateBytes(u.method, u.samples, k, c))
		}
	}
	do := state.Smaller(api.Method(u.method))
	switch {
	case u.method == Original || u.method == Improved:
		do = "add smaller batches, lower Options.Workspace, or start over with gram or qr, which keep no matrix of samples x nodes"
	case weighted > 0:
		do = "add smaller batches, or " + do
	}
	return memory.Check(bytes, "blsupdate", do, "an update by %v of %d samples and %d nodes by %d rows", u.method, u.samples, k, q)
}

// checkNodesMemory returns a *MemoryError where a state with p more nodes does not fit beside the
// present one.
func (u *updater) checkNodesMemory(p int) error {
	k, c := u.Nodes(), u.Targets()
	bytes := StateBytes(u.method, u.samples, k+p, c)
	if u.method == RidgeInverse { // which changes a copy of Q
		bytes = memory.Sum(bytes, memory.Triangle(k))
	}
	return memory.Check(bytes, "blsupdate", state.Smaller(api.Method(u.method)),
		"a model by %v of %d samples and %d nodes with %d nodes more", u.method, u.samples, k, p)
}
