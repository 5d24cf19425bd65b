package blas12

import (
	"blskernel/internal/check"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas/gonum"
)

// Routines are the routines of this package on the loops of one kernel, and gonum's for the rest of the
// BLAS. Its methods may be called from several goroutines at once.
type Routines struct {
	check.Guarded
	kernel kernel.Kernel
	share  Share
}

// New returns the routines on kernel k, which this machine must be able to run. share, which may be
// nil, runs large matrices on several goroutines.
func New(k kernel.Kernel, share Share) *Routines {
	own := check.Guarded{Float64: gonum.Implementation{}, Limit: check.MostSize}
	return &Routines{Guarded: own, kernel: k, share: share}
}

// smallTriangle is the order below which gonum's plain loops over a triangle are as fast. In Dsymv,
// Dspmv, Dspr and Dtrsv they treat zeros, NaN and infinities like ours.
const smallTriangle = 32

// scale computes y = beta*y; beta = 0 overwrites y.
func (r *Routines) scale(n int, beta float64, y []float64, inc int) {
	switch {
	case beta == 1:
	case inc < 0:
		r.Dscal(n, beta, y, -inc)
	default:
		r.Dscal(n, beta, y, inc)
	}
}
