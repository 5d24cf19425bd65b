package gemm

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// newProduct returns the product C = alpha·op(A)·op(B) + beta·C of m×n elements, each a sum of k terms.
func (e *Engine) newProduct(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c sink) product {
	return product{engine: e, m: m, n: n, k: k, alpha: alpha, beta: beta, a: opA(tA, a), b: opB(tB, b), c: c}
}

// Dgemm computes C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) is k×n and C is m×n, in 2mnk
// flops. op(A) is A if tA is blas.NoTrans and Aᵀ otherwise; op(B) depends on tB in the same way.
func (e *Engine) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc) {
		return
	}
	if alpha == 0 || !e.small(m, n, k) {
		p := e.newProduct(tA, tB, m, n, k, alpha, block.Dense(a, lda), block.Dense(b, ldb), beta, dense(block.Dense(c, ldc)))
		p.run()
	} else if team := e.pool.Acquire(2 * float64(m) * float64(n) * float64(k) / e.kernel.Speed); team != nil {
		p := e.newProduct(tA, tB, m, n, k, alpha, block.Dense(a, lda), block.Dense(b, ldb), beta, dense(block.Dense(c, ldc)))
		p.share(team)
	} else {
		e.smallGemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// small reports whether smallGemm can compute a product: its sum is one block, and B stays in the
// cache. The five loops do not pay off for a product of a few hundred nanoseconds.
func (e *Engine) small(m, n, k int) bool {
	return min(m, n, k) > 0 && max(m, n, k) <= smallOrder && k <= e.blocks.KC
}

// smallOrder is the largest dimension of a small product: B takes 128 KiB, half of the smallest L2.
const smallOrder = 128

// Dgemmt computes the triangle ul of C = alpha·op(A)·op(B) + beta·C, where op(A) is n×k and op(B) k×n,
// in n²k flops. The product need not be symmetric. The other triangle of C is not touched.
func (e *Engine) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		p := e.newProduct(tA, tB, n, n, k, alpha, block.Dense(a, lda), block.Dense(b, ldb), beta, sink{block.Dense(c, ldc), ul})
		p.run()
	}
}

// Dgemmtp is Dgemmt for the upper triangle of C, packed in ap.
func (e *Engine) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if check.Dgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		p := e.newProduct(tA, tB, n, n, k, alpha, block.Dense(a, lda), block.Dense(b, ldb), beta, sink{block.Packed(n, ap, 0, 0), blas.Upper})
		p.run()
	}
}

// DgemmTanh computes C[i,j] = tanh(alpha·(op(A)·op(B))[i,j] + bias[j]) in one pass over C. bias has n
// elements. The old C is not read.
func (e *Engine) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	if check.DgemmTanh(tA, tB, m, n, k, a, lda, b, ldb, bias, c, ldc) {
		p := e.newProduct(tA, tB, m, n, k, alpha, block.Dense(a, lda), block.Dense(b, ldb), 0, dense(block.Dense(c, ldc)))
		p.bias = bias[:n]
		p.run()
	}
}
