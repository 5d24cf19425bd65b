package gemm

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// Dtrmm computes B = alpha·op(A)·B if side is blas.Left, in m²n flops, or B = alpha·B·op(A) otherwise,
// in mn² flops. B is m×n; A is triangular, m×m or n×n. Dtrmm reads the triangle ul of A, but not its
// diagonal if d is blas.Unit. It does not multiply by the zeros of the other triangle. If alpha = 0, B
// becomes zero and A is not read.
func (e *Engine) Dtrmm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(side, ul, tA, d, m, n, a, lda, b, ldb) {
		e.triangular(multiply, side, ul, tA, d, m, n, alpha, block.Dense(a, lda), block.Dense(b, ldb))
	}
}

// multiply overwrites a panel x with the product of the block d and x. It starts with the last rows,
// because each row of the product needs the rows of x before it unchanged. Row i starts as t_ii·x_i.
// One chain of fused multiply-adds then adds t_ij·x_j from j = i-1 down to the block's first row. Thus
// the strips of MR rows do not affect results.
func (d *diagonal) multiply(k *kernel.Kernel, x rhsPanel) {
	for i := (d.rows - 1) / k.MR * k.MR; i >= 0; i -= k.MR {
		m := min(k.MR, d.rows-i)
		xi := &x.x[x.first+i*x.ld]
		k.Multiply(m, x.n, &d.a[d.at(i, i)], d.row, d.col, d.element(i), xi, x.ld)
		if i > 0 {
			k.Gemm(m, x.n, i, 1, &d.a[d.at(i, i-1)], d.row, -d.col,
				&x.x[x.first+(i-1)*x.ld], -x.ld, k.NR, kernel.Continue, xi, x.ld)
		}
	}
}
