package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// dpotrf overwrites the triangle ul of the symmetric n×n A by its Cholesky factor: A = UᵀU in the
// upper triangle, or A = L Lᵀ in the lower. It returns -1, or the index of the first pivot that is
// not a finite positive number, which is then on the diagonal. The other triangle is neither read nor
// written. It takes n³/3 flops. (LAPACK: dpotrf2, by halves; the base case is dpotrf, left-looking.)
func dpotrf(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) int {
	if n <= denseBase {
		return dpotrfBase(bk, ul, n, a, lda)
	}
	if lib, ok := library(bk, n); ok {
		return dpotrfLibrary(lib, ul, n, a, lda)
	}
	n1 := half(n)
	n2 := n - n1
	a22 := a[n1*lda+n1:]
	if bad := dpotrf(bk, ul, n1, a, lda); bad >= 0 {
		return bad
	}
	if ul == blas.Upper {
		a12 := a[n1:]
		dtrsm(bk, blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, a, lda, a12, lda)
		bk.Dsyrk(blas.Upper, blas.Trans, n2, n1, -1, a12, lda, 1, a22, lda)
	} else {
		a21 := a[n1*lda:]
		dtrsm(bk, blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n2, n1, 1, a, lda, a21, lda)
		bk.Dsyrk(blas.Lower, blas.NoTrans, n2, n1, -1, a21, lda, 1, a22, lda)
	}
	if bad := dpotrf(bk, ul, n2, a22, lda); bad >= 0 {
		return n1 + bad
	}
	return -1
}

// dpotrfBase is dpotrf for n <= denseBase, in a workspace.
func dpotrfBase(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) int {
	if n <= tileOrder {
		return dpotrfTile(ul, n, a, lda)
	}
	w, ld := squares.Get().(*square), squareStride(n)
	defer squares.Put(w)
	loadTriangle(w.u[:], ld, ul, n, a, lda)
	bad := potrfRows(bk, n, w.u[:], ld)
	storeTriangle(w.u[:], ld, ul, n, a, lda)
	return bad
}

// potrfRows is dpotrf for an upper triangle, by block rows: each is brought up to date by those above
// it in one product, which also writes below the diagonal of its first rows.
func potrfRows(bk blskernel.Backend, n int, u []float64, ldu int) int {
	for i := 0; i < n; i += tileOrder {
		rows := min(tileOrder, n-i)
		rest := n - i - rows
		u11 := u[i*ldu+i:]
		if i > 0 {
			bk.Dgemm(blas.Trans, blas.NoTrans, rows, n-i, i, -1, u[i:], ldu, u[i:], ldu, 1, u11, ldu)
		}
		if bad := dpotrfTile(blas.Upper, rows, u11, ldu); bad >= 0 {
			return i + bad
		}
		if rest > 0 {
			bk.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, rows, rest, 1, u11, ldu, u11[rows:], ldu)
		}
	}
	return -1
}

// dpotrfTile is dpotrf for n <= tileOrder.
func dpotrfTile(ul blas.Uplo, n int, a []float64, lda int) int {
	var t tile
	t.load(ul, n, a, lda)
	bad := t.factor(n)
	t.store(ul, n, a, lda)
	return bad
}
