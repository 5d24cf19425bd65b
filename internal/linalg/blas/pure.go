// Package blas is the BLAS of the backend "pure", which needs no cgo: internal/linalg/blas12 for
// Levels 1 and 2, internal/linalg/gemm for Level 3. For any other BLAS, ViaGemm computes packed and
// fused products and implements block.Ops.
package blas

import (
	"sync"
	"time"

	"blskernel/internal/linalg/blas12"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/gemm"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"
)

// Pure is the BLAS of the pure backend, computed by the loops of one kernel. It implements
// blskernel.Backend, blskernel.PackedProducts, backend.FusedProducts and block.Ops, which document its
// methods.
type Pure struct {
	*blas12.Routines
	*gemm.Engine
	name string
}

var _ block.Ops = (*Pure)(nil)

// New returns the BLAS of the given name on kernel k. All values of Pure share one bound on threads.
func New(name string, k kernel.Kernel) *Pure {
	return &Pure{Routines: blas12.New(k, workers.Default.Rows), Engine: gemm.New(k), name: name}
}

// Name returns the name that New was given.
func (p *Pure) Name() string { return p.name }

// About returns the name of the kernel; library and version are empty.
func (p *Pure) About() (kernel, library, version string) { return p.Engine.Kernel().Name, "", "" }

// Kernels returns the names of the kernels that this machine can run, best first.
func Kernels() []string { return kernel.Names() }

// Peak measures the kernel's peak rate; see kernel.MeasurePeak.
func (p *Pure) Peak(threads int, clock func() time.Duration) float64 {
	return kernel.MeasurePeak(p.Engine.Kernel(), threads, clock)
}

// best returns the BLAS on the kernel that the environment selects. If this machine cannot run that
// kernel, best uses the best kernel; the error is reported where the pure backend is looked up.
var best = sync.OnceValue(func() *Pure {
	k, err := kernel.Selected()
	if err != nil {
		k = kernel.Best()
	}
	return New("pure", k)
})
