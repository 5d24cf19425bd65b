package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// dtrtri overwrites the triangle ul of a, an n×n triangular matrix T, by the same triangle of V =
// T⁻¹. The other triangle is neither read nor written; a diagonal of ones is implied if diag is
// blas.Unit, and what is stored there makes no difference and is not changed. It takes n³/3 flops. A
// zero on the diagonal gives infinities or NaN. (LAPACK: dtrtri, by halves.)
//
// An upper V is found from V12 = -(V11 U12) U22⁻¹, where the half that is inverted first enters as a
// product and the other as a solve, so that the left residual is small: |V T - I| <= c n u |V| |T|, u
// the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, section 14.2). A lower V
// is found likewise, from the last half up.
func dtrtri(bk blskernel.Backend, ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) {
	if n <= tileOrder {
		dtrtriTile(ul, diag, n, a, lda)
		return
	}
	n1 := half(n)
	n2 := n - n1
	a22 := a[n1*lda+n1:]
	if ul == blas.Upper {
		a12 := a[n1:]
		dtrtri(bk, ul, diag, n1, a, lda)
		bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, diag, n1, n2, -1, a, lda, a12, lda)
		dtrsm(bk, blas.Right, blas.Upper, blas.NoTrans, diag, n1, n2, 1, a22, lda, a12, lda)
		dtrtri(bk, ul, diag, n2, a22, lda)
		return
	}
	a21 := a[n1*lda:]
	dtrtri(bk, ul, diag, n2, a22, lda)
	bk.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, diag, n2, n1, -1, a22, lda, a21, lda)
	dtrsm(bk, blas.Right, blas.Lower, blas.NoTrans, diag, n2, n1, 1, a, lda, a21, lda)
	dtrtri(bk, ul, diag, n1, a, lda)
}

// dtrtriTile is dtrtri for n <= tileOrder.
func dtrtriTile(ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) {
	var t tile
	t.load(ul, n, a, lda)
	var saved [tileOrder]float64
	if diag == blas.Unit {
		for i := range n {
			saved[i], t[i][i] = t[i][i], 1
		}
	}
	t.invert(n)
	if diag == blas.Unit {
		for i := range n {
			t[i][i] = saved[i]
		}
	}
	t.store(ul, n, a, lda)
}
