package blas12

import (
	"blskernel/internal/check"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Routines are the routines of this package on the loops of one kernel. Its methods may be called from
// several goroutines at once.
type Routines struct {
	exact
	kernel kernel.Kernel
	share  Share
}

var _ interface {
	blas.Float64Level1
	blas.Float64Level2
} = (*Routines)(nil)

// exact are the routines that compute nothing: they move numbers or compare them, and are gonum's.
type exact interface {
	Dcopy(n int, x []float64, incX int, y []float64, incY int)
	Dswap(n int, x []float64, incX int, y []float64, incY int)
	Idamax(n int, x []float64, incX int) int
}

// New returns the routines on kernel k, which this machine must be able to run. share, which may be
// nil, runs large matrices on several goroutines.
func New(k kernel.Kernel, share Share) *Routines {
	return &Routines{exact: check.Guarded{Float64: gonum.Implementation{}, Limit: check.MostSize}, kernel: k, share: share}
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
