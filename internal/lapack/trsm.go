package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Trsm solves op(A) X = alpha B (side is Left, A m×m) or X op(A) = alpha B (side is Right, A n×n) for
// the triangle ul of A, which is upper where A is packed; the m×n X overwrites B. It takes m²n or mn²
// flops. It halves A down to order block.Size, since long products are faster than a backend's Dtrsm.
// Smaller halves would lose what threads gain by sharing the columns of X.
func Trsm(bk Backend, side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	order := m
	if side == blas.Right {
		order = n
	}
	if order <= block.Size {
		bk.trsm(side, ul, t, diag, m, n, alpha, a, b)
		return
	}
	// The halves i and j of A and X in the order of solution: the first half leads on the left if
	// op(A) is lower triangular, and on the right if it is upper.
	n1 := half(order)
	off, i, ni, j, nj := offDiagonal(ul, a, n1), 0, n1, n1, order-n1
	if lower := (ul == blas.Lower) == (t == blas.NoTrans); lower != (side == blas.Left) {
		i, ni, j, nj = j, nj, i, ni
	}
	if side == blas.Left {
		bi, bj := b.Sub(i, 0), b.Sub(j, 0)
		Trsm(bk, side, ul, t, diag, ni, n, alpha, a.Sub(i, i), bi)
		bk.gemm(t, blas.NoTrans, nj, n, ni, -1, off, bi, alpha, bj)
		Trsm(bk, side, ul, t, diag, nj, n, 1, a.Sub(j, j), bj)
		return
	}
	bi, bj := b.Sub(0, i), b.Sub(0, j)
	Trsm(bk, side, ul, t, diag, m, ni, alpha, a.Sub(i, i), bi)
	bk.gemm(blas.NoTrans, t, m, nj, ni, -1, bi, off, alpha, bj)
	Trsm(bk, side, ul, t, diag, m, nj, 1, a.Sub(j, j), bj)
}
