// Package cholesky factors and inverts symmetric positive definite matrices and solves with the factor.
package cholesky

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Potrf overwrites the triangle ul of the symmetric n×n matrix A with its Cholesky factor: A = UᵀU in
// the upper triangle, or A = L Lᵀ in the lower one, which must be dense. The other triangle is not
// touched. Potrf returns -1 or the index of the first pivot that is not positive and finite, and leaves
// that pivot in place. It takes n³/3 flops and halves A down to order base. (LAPACK: dpotrf2.)
func Potrf(bk factor.Backend, ul blas.Uplo, base, n int, a block.Matrix) int {
	if n <= base {
		w := factor.Acquire()
		defer w.Release()
		u := w.Matrix(n, n)
		factor.LoadUpper(u, ul, n, a)
		bad := potrfRows(bk, n, u)
		factor.StoreUpper(a, ul, n, u)
		return bad
	}
	n1 := factor.Half(n)
	n2 := n - n1
	off, a22 := factor.OffDiagonal(ul, a, n1), a.Sub(n1, n1)
	if bad := Potrf(bk, ul, base, n1, a); bad >= 0 {
		return bad
	}
	side, t := blas.Left, blas.Trans
	if ul == blas.Lower {
		side, t = blas.Right, blas.NoTrans
	}
	factor.Trsm(bk, side, ul, blas.Trans, blas.NonUnit, n1, n2, 1, a, off)
	bk.Syrk(ul, t, n2, n1, -1, off, a22)
	if bad := Potrf(bk, ul, base, n2, a22); bad >= 0 {
		return n1 + bad
	}
	return -1
}

// potrfRows is Potrf for the upper triangle of a workspace. It updates each block row by one product
// with the rows above, and also writes below the diagonal within the block row. (LAPACK: dpotrf.)
func potrfRows(bk factor.Backend, n int, u block.Matrix) int {
	for i := 0; i < n; i += factor.TileOrder {
		rows := min(factor.TileOrder, n-i)
		above, u11 := u.Sub(0, i), u.Sub(i, i)
		if i > 0 {
			bk.Gemm(blas.Trans, blas.NoTrans, rows, n-i, i, -1, above, above, 1, u11)
		}
		var t factor.Tile
		t.Load(blas.Upper, rows, u11)
		bad := t.Factor(rows)
		t.Store(blas.Upper, rows, u11)
		if bad >= 0 {
			return i + bad
		}
		if rest := n - i - rows; rest > 0 {
			bk.Trsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, rows, rest, 1, u11, u11.Sub(0, rows))
		}
	}
	return -1
}
