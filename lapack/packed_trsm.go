package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// solveOrder is the order up to which blockTrsm leaves a triangle to the backend.
const solveOrder = 192

// blockTrsm solves op(U) X = alpha B (side is Left, U is m×m) or X op(U) = alpha B (side is Right, U is
// n×n) for an upper triangular block U; X overwrites the m×n block B. It takes m²n or mn² flops. (BLAS:
// dtrsm, by halves, so that nearly all of the work is in products with long sums.)
func blockTrsm(on block.Products, side blas.Side, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, u, b block.Matrix) {
	order := m
	if side == blas.Right {
		order = n
	}
	if order <= solveOrder {
		on.BlockTrsm(side, blas.Upper, t, diag, m, n, alpha, u, b)
		return
	}
	n1 := half(order)
	n2 := order - n1
	u12, u22 := u.Sub(0, n1), u.Sub(n1, n1)
	switch {
	case side == blas.Left && t == blas.NoTrans:
		b2 := b.Sub(n1, 0)
		blockTrsm(on, side, t, diag, n2, n, alpha, u22, b2)
		on.BlockGemm(blas.NoTrans, blas.NoTrans, n1, n, n2, -1, u12, b2, alpha, b)
		blockTrsm(on, side, t, diag, n1, n, 1, u, b)
	case side == blas.Left:
		b2 := b.Sub(n1, 0)
		blockTrsm(on, side, t, diag, n1, n, alpha, u, b)
		on.BlockGemm(blas.Trans, blas.NoTrans, n2, n, n1, -1, u12, b, alpha, b2)
		blockTrsm(on, side, t, diag, n2, n, 1, u22, b2)
	case t == blas.NoTrans:
		b2 := b.Sub(0, n1)
		blockTrsm(on, side, t, diag, m, n1, alpha, u, b)
		on.BlockGemm(blas.NoTrans, blas.NoTrans, m, n2, n1, -1, b, u12, alpha, b2)
		blockTrsm(on, side, t, diag, m, n2, 1, u22, b2)
	default:
		b2 := b.Sub(0, n1)
		blockTrsm(on, side, t, diag, m, n2, alpha, u22, b2)
		on.BlockGemm(blas.NoTrans, blas.Trans, m, n1, n2, -1, b2, u12, alpha, b)
		blockTrsm(on, side, t, diag, m, n1, 1, u, b)
	}
}
