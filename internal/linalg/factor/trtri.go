package factor

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// Trtri overwrites the triangle ul of the dense a, which holds an n×n matrix T, with V = T⁻¹. The other
// triangle is neither read nor written; with blas.Unit the diagonal is neither used nor changed. Trtri
// is recursive and takes n³/3 flops. A zero on the diagonal gives infinities or NaN.
//
// For an upper T, V12 = -(V11 T12) T22⁻¹: the half inverted first enters by a product, the other half
// by a solve. This makes the left residual small: |V T - I| <= c n u |V| |T|, where u is the unit
// roundoff (Higham, Accuracy and Stability of Numerical Algorithms, section 14.2). A lower T is
// inverted from its second half.
func Trtri(bk Backend, ul blas.Uplo, diag blas.Diag, n int, a block.Matrix) {
	if n <= TileOrder {
		var t, old Tile
		t.Load(ul, n, a)
		old = t
		for i := 0; diag == blas.Unit && i < n; i++ {
			t[i][i] = 1
		}
		t.invert(n)
		for i := 0; diag == blas.Unit && i < n; i++ {
			t[i][i] = old[i][i]
		}
		t.Store(ul, n, a)
		return
	}
	n1 := Half(n)
	n2 := n - n1
	off, a22 := OffDiagonal(ul, a, n1), a.Sub(n1, n1)
	first, then := a, a22
	if ul == blas.Lower {
		first, n1, then, n2 = a22, n2, a, n1
	}
	Trtri(bk, ul, diag, n1, first)
	bk.Trmm(blas.Left, ul, blas.NoTrans, diag, n1, n2, -1, first, off)
	Trsm(bk, blas.Right, ul, blas.NoTrans, diag, n2, n1, 1, then, off)
	Trtri(bk, ul, diag, n2, then)
}
