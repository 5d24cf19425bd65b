// Package blas is the BLAS of the backend "pure", which needs no cgo: internal/blas12 for Levels 1 and
// 2, internal/gemm for Level 3, behind one set of argument checks.
package blas

import (
	"time"

	"blskernel/internal/blas12"
	"blskernel/internal/block"
	"blskernel/internal/check"
	"blskernel/internal/gemm"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// Pure is the BLAS on one kernel: a blskernel.Backend, blskernel.PackedProducts, backend.FusedProducts
// and block.Products, where the methods are documented.
type Pure struct {
	*blas12.Routines
	*gemm.Engine // which also has block.Products and Acquire
	name         string
}

var _ block.Products = (*Pure)(nil)

// New returns the BLAS of the given name on kernel k. All of them share one bound on threads.
func New(name string, k kernel.Kernel) *Pure {
	return &Pure{Routines: blas12.New(k, share), Engine: gemm.New(k), name: name}
}

// share spreads Level 2 over the threads of the products.
func share(parts, nanoseconds int, do func(from, to int)) {
	gemm.Rows(gemm.Threads(), parts, nanoseconds, do)
}

// Name returns the name that New was given.
func (p *Pure) Name() string { return p.name }

// About returns the kernel's name; there is no library.
func (p *Pure) About() (kernel, library, version string) { return p.Engine.Kernel().Name, "", "" }

// Kernels returns the names of the kernels that this machine can run, best first.
func (p *Pure) Kernels() []string { return kernel.Names() }

// Peak measures the kernel's peak; see kernel.MeasurePeak.
func (p *Pure) Peak(threads int, clock func() time.Duration) float64 {
	return kernel.MeasurePeak(p.Engine.Kernel(), threads, clock)
}

// Level 3 of the BLAS.

func (p *Pure) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc) {
		p.Engine.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dsymm(s, ul, m, n, a, lda, b, ldb, c, ldc) {
		p.Engine.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if check.Dsyrk(ul, t, n, k, a, lda, c, ldc) {
		p.Engine.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

func (p *Pure) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dsyr2k(ul, t, n, k, a, lda, b, ldb, c, ldc) {
		p.Engine.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(s, ul, tA, d, m, n, a, lda, b, ldb) {
		p.Engine.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

func (p *Pure) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(s, ul, tA, d, m, n, a, lda, b, ldb) {
		p.Engine.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// blskernel.PackedProducts.

func (p *Pure) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		p.Engine.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if check.Dgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		p.Engine.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
	}
}

func (p *Pure) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	if check.Dsprk(t, n, k, a, lda, ap) {
		p.Engine.Dsprk(t, n, k, alpha, a, lda, beta, ap)
	}
}

func (p *Pure) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dspmm(side, m, n, ap, b, ldb, c, ldc) {
		p.Engine.Dspmm(side, m, n, alpha, ap, b, ldb, beta, c, ldc)
	}
}

// backend.FusedProducts.

func (p *Pure) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	ok := check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	check.Require(len(d) >= k, check.ShortD)
	if ok {
		p.Engine.DgemmDiag(tA, tB, m, n, k, alpha, a, lda, d, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	ok := check.Dsprk(t, n, k, a, lda, ap)
	check.Require(len(d) >= k, check.ShortD)
	if ok {
		p.Engine.DsprkDiag(t, n, k, alpha, a, lda, d, beta, ap)
	}
}

func (p *Pure) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	ok := check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	check.Require(len(bias) >= n, check.ShortBias)
	if ok {
		p.Engine.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, c, ldc)
	}
}
