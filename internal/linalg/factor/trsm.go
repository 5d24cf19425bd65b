package factor

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// Trsm solves op(A) X = alpha B if side is Left, or X op(A) = alpha B if side is Right. A is the n×n
// triangle ul of a; a packed a is upper. X overwrites B, which is n×nrhs or, if side is Right, nrhs×n.
// Trsm takes n²·nrhs flops. It halves A down to order block.Size, since long products are faster than a
// backend's Dtrsm. With smaller blocks, threads would gain less by sharing the columns of X.
func Trsm(bk Backend, side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, alpha float64, a, b block.Matrix) {
	if n <= block.Size {
		bk.Trsm(side, ul, t, diag, n, nrhs, alpha, a, b)
		return
	}
	// Half i is solved first, then half j. On the left, i is the first half if op(A) is lower
	// triangular; on the right, if op(A) is upper triangular.
	n1 := Half(n)
	off, i, ni, j, nj := OffDiagonal(ul, a, n1), 0, n1, n1, n-n1
	if lower := (ul == blas.Lower) == (t == blas.NoTrans); lower != (side == blas.Left) {
		i, ni, j, nj = j, nj, i, ni
	}
	bi, bj := b.Sub(0, i), b.Sub(0, j)
	if side == blas.Left {
		bi, bj = b.Sub(i, 0), b.Sub(j, 0)
	}
	Trsm(bk, side, ul, t, diag, ni, nrhs, alpha, a.Sub(i, i), bi)
	if side == blas.Left {
		bk.Gemm(t, blas.NoTrans, nj, nrhs, ni, -1, off, bi, alpha, bj)
	} else {
		bk.Gemm(blas.NoTrans, t, nrhs, nj, ni, -1, bi, off, alpha, bj)
	}
	Trsm(bk, side, ul, t, diag, nj, nrhs, 1, a.Sub(j, j), bj)
}

// Trtrs is Trsm with alpha = 1, but on our own backends it does not halve a packed T. If bk.ByVector is
// set, it solves for a single column along the rows of a packed T. For a single column and a dense T it
// calls Dtrsv.
func Trtrs(bk Backend, side blas.Side, ul blas.Uplo, trans blas.Transpose, diag blas.Diag, n, nrhs int, t, b block.Matrix) {
	switch {
	case t.Packed && bk.ByVector && side == blas.Left && nrhs == 1 && b.Ld == 1:
		bk.tpsv(trans, diag, n, t, b.X[:n])
	case t.Packed && bk.Ours():
		bk.Trsm(side, ul, trans, diag, n, nrhs, 1, t, b)
	case !t.Packed && side == blas.Left && nrhs == 1:
		bk.Dtrsv(ul, trans, diag, n, t.X, t.Ld, b.X, b.Ld)
	default:
		Trsm(bk, side, ul, trans, diag, n, nrhs, 1, t, b)
	}
}

// tpsv overwrites x with op(U)⁻¹x for the packed upper triangle u. (BLAS: dtpsv.)
func (bk Backend) tpsv(trans blas.Transpose, diag blas.Diag, n int, u block.Matrix, x []float64) {
	for k := range n {
		i := k
		if trans == blas.NoTrans {
			i = n - 1 - k
		}
		row, rest := u.Elements(i, i, n), x[i+1:]
		if trans == blas.NoTrans {
			x[i] -= bk.Ddot(len(rest), row[1:], 1, rest, 1)
		}
		if diag == blas.NonUnit {
			x[i] /= row[0]
		}
		if trans != blas.NoTrans {
			bk.Add(-x[i], row[1:], rest)
		}
	}
}
