package blas12

import (
	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// Routines implements the routines of this package with the loops of one kernel. Its methods may be
// called from several goroutines at once.
type Routines struct {
	kernel kernel.Kernel
	share  Share
}

var _ interface {
	blas.Float64Level1
	blas.Float64Level2
} = (*Routines)(nil)

// New returns the routines that use kernel k, which this machine must be able to run. If share is not
// nil, it divides work on large matrices among goroutines.
func New(k kernel.Kernel, share Share) *Routines {
	return &Routines{kernel: k, share: share}
}

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
