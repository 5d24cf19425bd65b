package gemm

import (
	"blskernel/internal/block"
	"blskernel/internal/check"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// Dtrsm solves op(A)·X = alpha·B (side is blas.Left, A m×m) or X·op(A) = alpha·B (otherwise, A n×n) for
// the m×n matrix X, which overwrites B, in m²n or mn² flops. It reads the triangle ul of A, and not its
// diagonal if d is blas.Unit. A zero on the diagonal gives Inf or NaN. If alpha = 0, B becomes zero and
// A is not read.
//
// It solves blocks of rows (columns, on the right) by substitution in registers with the reciprocals of
// the diagonal, and subtracts a block's contribution to the rest as a product. Each column (or row) of
// X is the exact solution for its own matrix A + E with |E| <= gamma_{m+2}·|A| (Higham, sections 8.1
// and 8.5, with one rounding more for each reciprocal).
func (e *Engine) Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(side, ul, tA, d, m, n, a, lda, b, ldb) {
		e.triangular(true, side, ul, tA, d, m, n, alpha, block.Dense(a, lda), block.Dense(b, ldb))
	}
}

// solve overwrites the rows of a panel by the solution of a diagonal block's equations. Row i is one
// chain of fused multiply-adds of -t_ij·x_j to x_i from the block's first row to j = i-1, and then
// d_i·x_i or x_i/t_ii: the strips of MR rows do not show. A chain that ends with zero gives +0, because
// the sign of a zero within a chain may depend on the strips.
func (t *triangle) solve(d diagonal, x rhsPanel) {
	k := &t.engine.kernel
	rows := d.i1 - d.i0
	for i := 0; i < rows; i += k.MR {
		m := min(k.MR, rows-i)
		xi := &x.x[x.first+i*x.ld]
		if i > 0 {
			k.Gemm(m, x.n, i, -1, &t.a[t.at(d.i0+i, d.i0)], t.row, t.col, kernel.Even, &x.x[x.first], x.ld, k.NR, kernel.Continue, xi, x.ld)
		}
		if d.divide {
			t.substitute(d.i0+i, m, x, i)
		} else {
			k.Solve(m, x.n, &t.a[t.at(d.i0+i, d.i0+i)], t.row, t.col, d.element(i), xi, x.ld)
		}
	}
}

// substitute solves for rows i0 to i0+m of T, rows i to i+m of a panel, by division. The rows above are
// subtracted as the kernels do that, so that results do not depend on their strips.
func (t *triangle) substitute(i0, m int, x rhsPanel, i int) {
	row := func(r int) []float64 {
		at := x.first + (i+r)*x.ld
		return x.x[at : at+x.n]
	}
	for r := range m {
		xr := row(r)
		for s := range r {
			t.engine.kernel.Axpy(x.n, -t.a[t.at(i0+r, i0+s)], &row(s)[0], &xr[0])
		}
		d := t.a[t.at(i0+r, i0+r)]
		for j, v := range xr {
			xr[j] = v/d + 0 // as in kernel.Solve
		}
	}
}
