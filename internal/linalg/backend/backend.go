// Package backend has functions on a blskernel.Backend for packages of this module. They resolve the
// default, supply products that some backends lack, and record LAPACK-level routines.
package backend

import (
	"time"

	"blskernel"
	pureblas "blskernel/internal/linalg/blas"
)

// Or returns b, or blskernel.Default() if b is nil. Types with a Backend field resolve it with Or.
func Or(b blskernel.Backend) blskernel.Backend {
	if b == nil {
		return blskernel.Default()
	}
	return b
}

// A Wrapper is a Backend, such as a counter, that passes calls on to the Backend that Unwrap returns.
// Peak, BlockSizes and blskernel.Describe look through it.
type Wrapper interface {
	blskernel.Backend
	Unwrap() blskernel.Backend
}

// unwrapped returns the Backend under all wrappers of b, or of blskernel.Default() if b is nil.
func unwrapped(b blskernel.Backend) blskernel.Backend {
	b = Or(b)
	for {
		w, ok := b.(Wrapper)
		if !ok {
			return b
		}
		b = w.Unwrap()
	}
}

// Kernels returns the names of the pure backend's kernels that this machine can run, best first.
func Kernels() []string { return pureblas.Kernels() }

// Peak returns the peak rate of b's kernel on the given number of threads, in flops per second. clock
// returns the time elapsed (nil: the wall clock). Peak panics unless b is, or wraps, the pure backend.
func Peak(b blskernel.Backend, threads int, clock func() time.Duration) float64 {
	return unwrapped(b).(*pureblas.Pure).Peak(threads, clock)
}

// BlockSizes returns the block sizes MC, KC and NC of the pure backend; ok is false for other backends.
func BlockSizes(b blskernel.Backend) (mc, kc, nc int, ok bool) {
	p, ok := unwrapped(b).(*pureblas.Pure)
	if ok {
		mc, kc, nc = p.BlockSizes()
	}
	return mc, kc, nc, ok
}
