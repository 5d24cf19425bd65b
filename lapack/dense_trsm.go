package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// solveBase is the order up to which dtrsm leaves a triangle to the backend, which shares the columns
// of X among its threads if they are worth it; the products of smaller halves would not be.
const solveBase = 192

// dtrsm solves op(A) X = alpha B (side is Left, A is m×m) or X op(A) = alpha B (side is Right, A is
// n×n) for a triangular A; the m×n X overwrites B. It takes m²n or mn² flops. (BLAS: dtrsm, by
// halves, since a backend's Dgemm is faster than its Dtrsm: by some percent, and by much where a
// Dtrsm is not blocked.)
func dtrsm(bk blskernel.Backend, side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	order, step := m, ldb
	if side == blas.Right {
		order, step = n, 1
	}
	if order <= solveBase {
		bk.Dtrsm(side, ul, t, diag, m, n, alpha, a, lda, b, ldb)
		return
	}
	n1 := half(order)
	off := a[n1:]
	if ul == blas.Lower {
		off = a[n1*lda:]
	}
	// The halves of A and of X in the order in which they are solved for. On the left the first half
	// is first if op(A) is lower triangular, on the right if it is upper.
	first, then := part{n1, a, b}, part{order - n1, a[n1*lda+n1:], b[n1*step:]}
	lower := (ul == blas.Lower) == (t == blas.NoTrans)
	if lower != (side == blas.Left) {
		first, then = then, first
	}
	if side == blas.Left {
		dtrsm(bk, side, ul, t, diag, first.n, n, alpha, first.a, lda, first.b, ldb)
		bk.Dgemm(t, blas.NoTrans, then.n, n, first.n, -1, off, lda, first.b, ldb, alpha, then.b, ldb)
		dtrsm(bk, side, ul, t, diag, then.n, n, 1, then.a, lda, then.b, ldb)
		return
	}
	dtrsm(bk, side, ul, t, diag, m, first.n, alpha, first.a, lda, first.b, ldb)
	bk.Dgemm(blas.NoTrans, t, m, then.n, first.n, -1, first.b, ldb, off, lda, alpha, then.b, ldb)
	dtrsm(bk, side, ul, t, diag, m, then.n, 1, then.a, lda, then.b, ldb)
}

// A part is a triangle of order n on the diagonal of A, and the rows or columns of X that belong to
// it.
type part struct {
	n    int
	a, b []float64
}
