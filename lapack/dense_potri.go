package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// dpotri overwrites a Cholesky factor in the triangle ul of the n×n a by the same triangle of the
// inverse of the factored matrix, X = (UᵀU)⁻¹ or X = (L Lᵀ)⁻¹. The other triangle is neither read nor
// written. It takes 2n³/3 flops. The diagonal must have no zero, as after a dpotrf that did not fail.
//
// For an upper triangle, with the halves
//
//	U = | U11 U12 |    X12 = -W X22           W = U11⁻¹ U12
//	    |     U22 |,   X11 = (U11ᵀU11)⁻¹ + (W U22⁻¹)(W U22⁻¹)ᵀ,   X22 = U22⁻¹ U22⁻ᵀ,
//
// in place and without the inverse of U: three triangular solves, a symmetric update and the two
// halves themselves. It is the sweep of Bientinesi, Gunter and van de Geijn (ACM TOMS 35(1), 2008)
// for an inverse from the factor, by halves. (LAPACK: dpotri.)
func dpotri(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) {
	if n <= denseBase {
		dpotriBase(bk, ul, n, a, lda)
		return
	}
	if lib, ok := library(bk, n); ok {
		lib.Dpotri(otherTriangle(ul), n, a, lda)
		return
	}
	n1 := half(n)
	n2 := n - n1
	a22 := a[n1*lda+n1:]
	if ul == blas.Upper {
		a12 := a[n1:]
		dtrsm(bk, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, a, lda, a12, lda)
		dpotri(bk, ul, n1, a, lda)
		dtrsm(bk, blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, a22, lda, a12, lda)
		bk.Dsyrk(blas.Upper, blas.NoTrans, n1, n2, 1, a12, lda, 1, a, lda)
		dtrsm(bk, blas.Right, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, -1, a22, lda, a12, lda)
	} else {
		a21 := a[n1*lda:]
		dtrsm(bk, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n2, n1, 1, a, lda, a21, lda)
		dpotri(bk, ul, n1, a, lda)
		dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n2, n1, 1, a22, lda, a21, lda)
		bk.Dsyrk(blas.Lower, blas.Trans, n1, n2, 1, a21, lda, 1, a, lda)
		dtrsm(bk, blas.Left, blas.Lower, blas.Trans, blas.NonUnit, n2, n1, -1, a22, lda, a21, lda)
	}
	dpotri(bk, ul, n2, a22, lda)
}

// dpotriBase is dpotri for n <= denseBase, in a workspace.
func dpotriBase(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) {
	if n <= tileOrder {
		var u, x tile
		u.load(ul, n, a, lda)
		x.addInverseDiagonal(n, &u)
		u.solveSymmetric(n, &x)
		x.store(ul, n, a, lda)
		return
	}
	w, ld := squares.Get().(*square), squareStride(n)
	defer squares.Put(w)
	loadTriangle(w.u[:], ld, ul, n, a, lda)
	symmetricRows(bk, n, w.u[:], w.x[:], ld, nil)
	storeTriangle(w.x[:], ld, ul, n, a, lda)
}

// symmetricRows writes the symmetric X = (Uᵀ D U)⁻¹ to x, both triangles of it, by block rows from the
// last. It is the solution of U X = M, M = D⁻¹ U⁻ᵀ, of which the right side is known on and above the
// diagonal: with X22 known,
//
//	U11 X12 = M12 - U12 X22,   U11 X11 = M11 - U12 X21.
//
// m is the upper triangle of M: D⁻¹ for a U with ones on its diagonal, and with nil the reciprocals of
// the diagonal of U, for D = I.
func symmetricRows(bk blskernel.Backend, n int, u, x []float64, ld int, m *blockDiagonal) {
	for i := (n - 1) / tileOrder * tileOrder; i >= 0; i -= tileOrder {
		rows := min(tileOrder, n-i)
		rest := n - i - rows
		u11, x11 := u[i*ld+i:], x[i*ld+i:]
		var ut, xt tile
		ut.load(blas.Upper, rows, u11, ld)
		if rest > 0 {
			u12, x12, x21, x22 := u11[rows:], x11[rows:], x11[rows*ld:], x11[rows*ld+rows:]
			bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, rest, rest, -1, u12, ld, x22, ld, 0, x12, ld)
			if m != nil {
				x12[(rows-1)*ld] += m.e[i+rows-1]
			}
			bk.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, rows, rest, 1, u11, ld, x12, ld)
			transpose(rows, rest, x12, ld, x21, ld)
			bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, rows, rest, -1, u12, ld, x21, ld, 0, x11, ld)
			xt.load(blas.Upper, rows, x11, ld)
		}
		if m == nil {
			xt.addInverseDiagonal(rows, &ut)
		} else {
			xt.add(m.part(i, rows))
		}
		ut.solveSymmetric(rows, &xt)
		for r := range rows {
			copy(x11[r*ld:r*ld+rows], xt[r][:rows])
		}
	}
}
