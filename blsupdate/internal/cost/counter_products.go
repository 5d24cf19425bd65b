package cost

import "gonum.org/v1/gonum/blas"

// Dgemm counts 2mnk flops.
func (c *Counter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, k))
	c.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dsymm counts 2m²n or 2mn² flops.
func (c *Counter) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, Order(s, m, n)))
	c.Backend.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dsyrk counts n²k flops.
func (c *Counter) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k) / 2)
	c.Backend.Dsyrk(ul, t, n, k, alpha, a, lda, beta, dst, ldc)
}

// Dsyr2k counts 2n²k flops.
func (c *Counter) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k))
	c.Backend.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dtrmm counts m²n or mn² flops.
func (c *Counter) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	c.add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm counts m²n or mn² flops.
func (c *Counter) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	c.add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dgemmt counts n²k flops.
func (c *Counter) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dgemmtp counts n²k flops.
func (c *Counter) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, ap []float64) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
}

// Dsprk counts n²k flops.
func (c *Counter) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dsprk(t, n, k, alpha, a, lda, beta, ap)
}

// Dspmm counts 2m²n or 2mn² flops.
func (c *Counter) Dspmm(s blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int,
	beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, Order(s, m, n)))
	c.packed.Dspmm(s, m, n, alpha, ap, b, ldb, beta, dst, ldc)
}

// DgemmDiag counts 2mnk flops.
func (c *Counter) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, k))
	c.fused.DgemmDiag(tA, tB, m, n, k, alpha, a, lda, d, b, ldb, beta, dst, ldc)
}

// DsprkDiag counts n²k flops.
func (c *Counter) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64,
	beta float64, ap []float64) {
	c.add(Gemm(n, n, k) / 2)
	c.fused.DsprkDiag(t, n, k, alpha, a, lda, d, beta, ap)
}

// DgemmTanh counts 2mnk flops.
func (c *Counter) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, bias []float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, k))
	c.fused.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, dst, ldc)
}

// Order returns the order of the square operand of an m×n result.
func Order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}
