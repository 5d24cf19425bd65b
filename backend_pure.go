package blskernel

import (
	"blskernel/internal/gemm"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

func init() {
	register("pure", func() (Backend, error) {
		onThreads(func() { gemm.SetThreads(int(threads.Load())) })
		return pure{}, nil
	})
}

// pure is the backend without cgo, always compiled in: gonum's implementation for Levels 1 and 2, and
// package gemm for Level 3, where all products share one blocked loop with bounded threads.
type pure struct{ gonum.Implementation }

var _ PackedProducts = pure{}

func (pure) Name() string { return "pure" }

// Dgemm computes C = alpha*op(A)*op(B) + beta*C, where op(A) is m×k, op(B) is k×n and C is m×n.
func (pure) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkTranspose(tA)
	checkTranspose(tB)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	if checkStored(stored{m, n, ldc, len(c), badLdC, shortC},
		op(tA, m, k, lda, len(a), badLdA, shortA), op(tB, k, n, ldb, len(b), badLdB, shortB)) {
		gemm.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a symmetric A of which one
// triangle is read.
func (pure) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkSide(s)
	checkUplo(ul)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	k := orderOf(s, m, n)
	if checkStored(stored{m, n, ldc, len(c), badLdC, shortC},
		stored{k, k, lda, len(a), badLdA, shortA}, stored{m, n, ldb, len(b), badLdB, shortB}) {
		gemm.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsyrk computes one triangle of C = alpha*A*Aᵀ + beta*C, or of C = alpha*Aᵀ*A + beta*C.
func (pure) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	checkUplo(ul)
	checkTranspose(t)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	if checkStored(stored{n, n, ldc, len(c), badLdC, shortC}, op(t, n, k, lda, len(a), badLdA, shortA)) {
		gemm.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dtrmm computes B = alpha*op(A)*B or B = alpha*B*op(A) for a triangular A.
func (pure) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if checkTriangular(s, ul, tA, d, m, n, len(a), lda, len(b), ldb) {
		gemm.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A)*X = alpha*B or X*op(A) = alpha*B for a triangular A and writes X to B.
func (pure) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if checkTriangular(s, ul, tA, d, m, n, len(a), lda, len(b), ldb) {
		gemm.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

func checkTriangular(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n, lenA, lda, lenB, ldb int) bool {
	checkSide(s)
	checkUplo(ul)
	checkTranspose(tA)
	checkDiag(d)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	k := orderOf(s, m, n)
	// A comes first, so the leading dimensions are checked in the order of the arguments.
	return checkStored(stored{m, n, ldb, lenB, badLdB, shortB}, stored{k, k, lda, lenA, badLdA, shortA})
}

// orderOf returns the order of the square operand on the given side of an m×n matrix.
func orderOf(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// Dgemmt, Dgemmtp, Dsprk and Dspmm are documented at PackedProducts.

func (pure) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (pure) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	gemm.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
}

func (pure) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	gemm.Dsprk(t, n, k, alpha, a, lda, beta, ap)
}

func (pure) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm.Dspmm(side, m, n, alpha, ap, b, ldb, beta, c, ldc)
}
