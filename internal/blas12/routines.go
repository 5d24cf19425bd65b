package blas12

import (
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas/gonum"
)

// Routines are the routines of this package on the loops of one kernel, and gonum's for the rest of the
// BLAS. It has no state besides, so its methods may be called from several goroutines at once.
type Routines struct {
	gonum.Implementation
	kernel kernel.Kernel
	share  Share
}

// New returns the routines on kernel k, which this machine must be able to run. With share, which may
// be nil, they have large matrices passed over by several goroutines.
func New(k kernel.Kernel, share Share) *Routines { return &Routines{kernel: k, share: share} }

// smallTriangle is the order below which gonum's loops in Go over a triangle are not slower than ours.
// In Dsymv, Dspmv, Dspr and Dtrsv they treat zeros, NaN and infinities as ours do.
const smallTriangle = 32

// scale computes y = beta*y, where beta = 0 writes zeros without reading y.
func (r *Routines) scale(n int, beta float64, y []float64, inc int) {
	switch {
	case beta == 1:
	case inc < 0:
		r.Dscal(n, beta, y, -inc)
	default:
		r.Dscal(n, beta, y, inc)
	}
}
