package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dgemm computes
//
//	C = alpha·op(A)·op(B) + beta·C
//
// where op(A) is m×k, op(B) is k×n and C is m×n. It takes 2mnk flops.
func (e *Engine) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if alpha != 0 && e.little(m, n, k) {
		e.inPlace(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	p := product{
		engine: e, m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: left(tA != blas.NoTrans, block.Dense(a, lda)),
		b: right(tB != blas.NoTrans, block.Dense(b, ldb)),
		c: all(block.Dense(c, ldc)),
	}
	p.run()
}

// Dgemmt computes the triangle ul, with the diagonal, of
//
//	C = alpha·op(A)·op(B) + beta·C
//
// where op(A) is n×k, op(B) is k×n and C is n×n. The other triangle of C is neither read nor
// written; that the product is symmetric, so that nothing is lost, is the caller's promise. It
// takes n²k flops.
func (e *Engine) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	p := product{
		engine: e, m: n, n: n, k: k, alpha: alpha, beta: beta,
		a: left(tA != blas.NoTrans, block.Dense(a, lda)),
		b: right(tB != blas.NoTrans, block.Dense(b, ldb)),
		c: half(ul, block.Dense(c, ldc)),
	}
	p.run()
}

// Dgemmtp is Dgemmt for the upper triangle of a C in packed storage, n(n+1)/2 elements of ap.
func (e *Engine) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	p := product{
		engine: e, m: n, n: n, k: k, alpha: alpha, beta: beta,
		a: left(tA != blas.NoTrans, block.Dense(a, lda)),
		b: right(tB != blas.NoTrans, block.Dense(b, ldb)),
		c: half(blas.Upper, block.Packed(n, ap, 0, 0)),
	}
	p.run()
}

// DgemmDiag computes
//
//	C = alpha·op(A)·diag(d)·op(B) + beta·C
//
// where op(A) is m×k, d has k elements, op(B) is k×n and C is m×n: Dgemm with rows of op(B) scaled on
// the way. It takes 2mnk flops, and kn multiplications for each block of rows that a thread computes.
func (e *Engine) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	p := product{
		engine: e, m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: left(tA != blas.NoTrans, block.Dense(a, lda)),
		b: right(tB != blas.NoTrans, block.Dense(b, ldb)),
		c: all(block.Dense(c, ldc)),
	}
	p.b.diag = d[:k]
	p.run()
}

// DgemmTanh computes
//
//	C[i,j] = tanh(alpha·(op(A)·op(B))[i,j] + bias[j])
//
// where op(A) is m×k, op(B) is k×n, bias has n elements and C is m×n, in one pass over C, which is not
// read. It takes 2mnk flops and mn tanh.
func (e *Engine) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	p := product{
		engine: e, m: m, n: n, k: k, alpha: alpha,
		a:    left(tA != blas.NoTrans, block.Dense(a, lda)),
		b:    right(tB != blas.NoTrans, block.Dense(b, ldb)),
		c:    all(block.Dense(c, ldc)),
		bias: bias[:n],
	}
	p.run()
}
