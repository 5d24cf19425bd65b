package blsupdate

import (
	"blskernel/blsupdate/internal/api"
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

// checkMemory returns a *MemoryError where there is no memory for the state of a start, or for that
// with p more nodes beside the present one.
func checkMemory(m Method, l, k, c, p int) error {
	bytes := StateBytes(m, l, k+p, c)
	if p > 0 && m == RidgeInverse { // which changes a copy of Q
		bytes = memory.Sum(bytes, memory.Triangle(k))
	}
	return memory.Check(bytes, "blsupdate", state.Smaller(api.Method(m)),
		"a model by %v of %d samples, %d nodes and %d targets", m, l, k+p, c)
}
