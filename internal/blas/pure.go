// Package blas is the BLAS of the backend "pure", which needs no cgo: internal/blas12 for Levels 1 and 2,
// internal/gemm for Level 3, behind one set of argument checks.
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

// Pure is the BLAS on one kernel, with the products of packed and of triangular results. It implements
// blskernel.Backend, blskernel.PackedProducts, backend.FusedProducts and block.Products, where the
// methods are documented.
type Pure struct {
	*blas12.Routines
	name   string
	engine *gemm.Engine
}

var _ block.Products = (*Pure)(nil)

// New returns the BLAS of the given name on kernel k. All of them share one bound on threads.
func New(name string, k kernel.Kernel) *Pure {
	return &Pure{Routines: blas12.New(k, share), name: name, engine: gemm.New(k)}
}

// share spreads Level 2 over the threads of the products.
func share(parts, nanoseconds int, do func(from, to int)) {
	gemm.Rows(gemm.Threads(), parts, nanoseconds, do)
}

// Name returns the name that New was given.
func (p *Pure) Name() string { return p.name }

// About returns the kernel's name; there is no library.
func (p *Pure) About() (kernel, library, version string) { return p.engine.Kernel().Name, "", "" }

// Kernels returns the names of the kernels that this machine can run, best first.
func (p *Pure) Kernels() []string { return kernel.Names() }

// Peak measures the kernel's peak; see kernel.MeasurePeak.
func (p *Pure) Peak(threads int, clock func() time.Duration) float64 {
	return kernel.MeasurePeak(p.engine.Kernel(), threads, clock)
}

// BlockSizes returns MC, KC and NC of the five loops.
func (p *Pure) BlockSizes() (mc, kc, nc int) {
	b := p.engine.Blocks()
	return b.MC, b.KC, b.NC
}

// Acquire keeps the worker pool awake until release, for many calls of the given flops in all.
func (p *Pure) Acquire(flops float64) (release func()) { return p.engine.Hold(flops) }

// Level 3 of the BLAS.

func (p *Pure) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc) {
		p.engine.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dsymm(s, ul, m, n, a, lda, b, ldb, c, ldc) {
		p.engine.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if check.Dsyrk(ul, t, n, k, a, lda, c, ldc) {
		p.engine.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

func (p *Pure) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dsyr2k(ul, t, n, k, a, lda, b, ldb, c, ldc) {
		p.engine.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(s, ul, tA, d, m, n, a, lda, b, ldb) {
		p.engine.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

func (p *Pure) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(s, ul, tA, d, m, n, a, lda, b, ldb) {
		p.engine.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// blskernel.PackedProducts.

func (p *Pure) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		p.engine.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if check.Dgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		p.engine.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
	}
}

func (p *Pure) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	if check.Dsprk(t, n, k, a, lda, ap) {
		p.engine.Dsprk(t, n, k, alpha, a, lda, beta, ap)
	}
}

func (p *Pure) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dspmm(side, m, n, ap, b, ldb, c, ldc) {
		p.engine.Dspmm(side, m, n, alpha, ap, b, ldb, beta, c, ldc)
	}
}

// backend.FusedProducts.

func (p *Pure) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	ok := check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	check.Require(len(d) >= k, check.ShortD)
	if ok {
		p.engine.DgemmDiag(tA, tB, m, n, k, alpha, a, lda, d, b, ldb, beta, c, ldc)
	}
}

func (p *Pure) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	ok := check.Dsprk(t, n, k, a, lda, ap)
	check.Require(len(d) >= k, check.ShortD)
	if ok {
		p.engine.DsprkDiag(t, n, k, alpha, a, lda, d, beta, ap)
	}
}

func (p *Pure) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	ok := check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	check.Require(len(bias) >= n, check.ShortBias)
	if ok {
		p.engine.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, c, ldc)
	}
}

// block.Products, whose callers have checked the arguments.

func (p *Pure) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	p.engine.BlockGemm(tA, tB, m, n, k, alpha, a, b, beta, c)
}

func (p *Pure) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	p.engine.BlockSyrk(t, n, k, alpha, a, d, c)
}

func (p *Pure) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	p.engine.BlockTrsm(s, ul, t, d, m, n, alpha, a, b)
}

func (p *Pure) BlockRows(rows, nanoseconds int, work block.RowWork) {
	p.engine.BlockRows(rows, nanoseconds, work)
}

func (p *Pure) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	p.engine.Transpose(m, n, src, lds, dst, ldd)
}

func (p *Pure) AbsMax(x []float64) (at int, size float64) { return p.engine.AbsMax(x) }

func (p *Pure) AddAbs(x, sums []float64) float64 { return p.engine.AddAbs(x, sums) }
