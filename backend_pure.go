package blskernel

import (
	"blskernel/internal/blas12"
	"blskernel/internal/block"
	"blskernel/internal/gemm"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

func init() {
	register("pure", func() (Backend, error) {
		k, err := kernel.Selected()
		if err != nil {
			return nil, &UnavailableError{Backend: "pure", Why: err.Error(), Remedy: "unset " + kernel.EnvKernel + " or give it one of these names"}
		}
		return newPure("pure", k), nil
	})
	for _, name := range kernel.Names() {
		registerVariant("pure/"+name, func() (Backend, error) {
			k, err := kernel.Lookup(name)
			return newPure("pure/"+name, k), err
		})
	}
}

// newPure returns the pure backend on a kernel. The bound on threads is one for all of them.
func newPure(name string, k kernel.Kernel) *pure {
	onThreads(func() { gemm.SetThreads(int(threads.Load())) })
	return &pure{Routines: blas12.New(k, share), name: name, engine: gemm.New(k)}
}

// share has the threads of the products for Level 2 too.
func share(parts, nanoseconds int, do func(from, to int)) {
	gemm.Rows(gemm.Threads(), parts, nanoseconds, do)
}

// pure is the backend without cgo, always compiled in: package blas12 for Levels 1 and 2 (gonum's own
// where there is nothing to gain) and package gemm for Level 3, where all products share one blocked
// loop with bounded threads.
type pure struct {
	*blas12.Routines
	name   string
	engine *gemm.Engine
}

var (
	_ PackedProducts = (*pure)(nil)
	_ FusedProducts  = (*pure)(nil)
	_ block.Products = (*pure)(nil)
)

func (p *pure) Name() string { return p.name }

// Dgemm computes C = alpha*op(A)*op(B) + beta*C, where op(A) is m×k, op(B) is k×n and C is m×n.
func (p *pure) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if checkDgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc) {
		p.engine.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a symmetric A of which one
// triangle is read.
func (p *pure) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkSide(s)
	checkUplo(ul)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	k := orderOf(s, m, n)
	checkLd(lda, k, badLdA)
	checkLd(ldb, n, badLdB)
	checkLd(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return
	}
	checkLen(len(a), k, k, lda, shortA)
	checkLen(len(b), m, n, ldb, shortB)
	checkLen(len(c), m, n, ldc, shortC)
	p.engine.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk computes one triangle of C = alpha*A*Aᵀ + beta*C, or of C = alpha*Aᵀ*A + beta*C.
func (p *pure) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	checkUplo(ul)
	checkTranspose(t)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	rowsA, colsA := dimsOf(t, n, k)
	checkLd(lda, colsA, badLdA)
	checkLd(ldc, n, badLdC)
	if n == 0 {
		return
	}
	checkLen(len(a), rowsA, colsA, lda, shortA)
	checkLen(len(c), n, n, ldc, shortC)
	p.engine.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Dsyr2k computes one triangle of C = alpha*A*Bᵀ + alpha*B*Aᵀ + beta*C, or of C = alpha*Aᵀ*B +
// alpha*Bᵀ*A + beta*C.
func (p *pure) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkUplo(ul)
	checkTranspose(t)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	rows, cols := dimsOf(t, n, k)
	checkLd(lda, cols, badLdA)
	checkLd(ldb, cols, badLdB)
	checkLd(ldc, n, badLdC)
	if n == 0 {
		return
	}
	checkLen(len(a), rows, cols, lda, shortA)
	checkLen(len(b), rows, cols, ldb, shortB)
	checkLen(len(c), n, n, ldc, shortC)
	p.engine.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmm computes B = alpha*op(A)*B or B = alpha*B*op(A) for a triangular A.
func (p *pure) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if checkTriangular(s, ul, tA, d, m, n, len(a), lda, len(b), ldb) {
		p.engine.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A)*X = alpha*B or X*op(A) = alpha*B for a triangular A and writes X to B.
func (p *pure) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if checkTriangular(s, ul, tA, d, m, n, len(a), lda, len(b), ldb) {
		p.engine.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// checkTriangular checks the arguments of Dtrmm and Dtrsm and reports whether B is not empty.
func checkTriangular(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n, lenA, lda, lenB, ldb int) bool {
	checkSide(s)
	checkUplo(ul)
	checkTranspose(tA)
	checkDiag(d)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	k := orderOf(s, m, n)
	checkLd(lda, k, badLdA)
	checkLd(ldb, n, badLdB)
	if m == 0 || n == 0 {
		return false
	}
	checkLen(lenA, k, k, lda, shortA)
	checkLen(lenB, m, n, ldb, shortB)
	return true
}

// orderOf returns the order of the square operand on the given side of an m×n matrix.
func orderOf(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// Dgemmt, Dgemmtp, Dsprk and Dspmm are documented at PackedProducts.

func (p *pure) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if checkDgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		p.engine.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func (p *pure) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if checkDgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		p.engine.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
	}
}

func (p *pure) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	if checkDsprk(t, n, k, a, lda, ap) {
		p.engine.Dsprk(t, n, k, alpha, a, lda, beta, ap)
	}
}

func (p *pure) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if checkDspmm(side, m, n, ap, b, ldb, c, ldc) {
		p.engine.Dspmm(side, m, n, alpha, ap, b, ldb, beta, c, ldc)
	}
}

// DgemmDiag, DsprkDiag and DgemmTanh are documented at FusedProducts.

func (p *pure) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	ok := checkDgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	require(len(d) >= k, shortD)
	if ok {
		p.engine.DgemmDiag(tA, tB, m, n, k, alpha, a, lda, d, b, ldb, beta, c, ldc)
	}
}

func (p *pure) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	ok := checkDsprk(t, n, k, a, lda, ap)
	require(len(d) >= k, shortD)
	if ok {
		p.engine.DsprkDiag(t, n, k, alpha, a, lda, d, beta, ap)
	}
}

func (p *pure) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	ok := checkDgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	require(len(bias) >= n, shortBias)
	if ok {
		p.engine.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, c, ldc)
	}
}

// The operations of block.Products are for package lapack, which has checked what it was given.

func (p *pure) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	p.engine.BlockGemm(tA, tB, m, n, k, alpha, a, b, beta, c)
}

func (p *pure) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	p.engine.BlockSyrk(t, n, k, alpha, a, d, c)
}

func (p *pure) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	p.engine.BlockTrsm(s, ul, t, d, m, n, alpha, a, b)
}

func (p *pure) BlockRows(rows, nanoseconds int, work block.RowWork) {
	p.engine.BlockRows(rows, nanoseconds, work)
}

func (p *pure) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	p.engine.Transpose(m, n, src, lds, dst, ldd)
}

func (p *pure) AbsMax(x []float64) (at int, size float64) { return p.engine.AbsMax(x) }

func (p *pure) AddAbs(x, sums []float64) float64 { return p.engine.AddAbs(x, sums) }

// Hold is documented at the function Hold.
func (p *pure) Hold(flops float64) (release func()) { return p.engine.Hold(flops) }
