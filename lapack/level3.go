package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// The triangular products and solves of this package are halved until the triangle has at most
// triangleBase rows, so that nearly all of their work is Dgemm, the one product that every backend
// does at full speed: the reference Dtrsm and Dtrmm run at the speed of Level 2. At 64 the triangles
// themselves are 64/n of the work, and a call is still long against its overhead.
const triangleBase = 64

// trsm solves op(A) X = B (side is Left, A is m×m) or X op(A) = B (side is Right, A is n×n) for a
// triangular A; the m×n X overwrites B. It takes m²n or mn² flops.
func trsm(bk blskernel.Backend, side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, a []float64, lda int, b []float64, ldb int) {
	order := m
	if side == blas.Right {
		order = n
	}
	if m == 0 || n == 0 {
		return
	}
	if order <= triangleBase {
		bk.Dtrsm(side, ul, t, diag, m, n, 1, a, lda, b, ldb)
		return
	}
	n1 := order / 2
	n2 := order - n1
	off, a22 := a[n1:], a[n1*lda+n1:]
	if ul == blas.Lower {
		off = a[n1*lda:]
	}
	// b1 and b2 are the two parts of B; op(A) is lower triangular if exactly one of A being upper and
	// being transposed holds. The part that is solved first is the first one if op(A) is lower on the
	// left or upper on the right.
	b1, b2 := b, b[n1:]
	if side == blas.Left {
		b2 = b[n1*ldb:]
	}
	lower := (ul == blas.Lower) == (t == blas.NoTrans)
	firstFirst := lower == (side == blas.Left)
	part := func(ai, bi []float64, ni int) {
		if side == blas.Left {
			trsm(bk, side, ul, t, diag, ni, n, ai, lda, bi, ldb)
		} else {
			trsm(bk, side, ul, t, diag, m, ni, ai, lda, bi, ldb)
		}
	}
	eliminate := func(dst, src []float64, nd, ns int) {
		if side == blas.Left {
			bk.Dgemm(t, blas.NoTrans, nd, n, ns, -1, off, lda, src, ldb, 1, dst, ldb)
		} else {
			bk.Dgemm(blas.NoTrans, t, m, nd, ns, -1, src, ldb, off, lda, 1, dst, ldb)
		}
	}
	if firstFirst {
		part(a, b1, n1)
		eliminate(b2, b1, n2, n1)
		part(a22, b2, n2)
		return
	}
	part(a22, b2, n2)
	eliminate(b1, b2, n1, n2)
	part(a, b1, n1)
}

// trmm computes B = alpha*A*B for an upper triangular m×m A and an m×n B, in m²n flops.
func trmm(bk blskernel.Backend, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if m == 0 || n == 0 {
		return
	}
	if m <= triangleBase {
		bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, alpha, a, lda, b, ldb)
		return
	}
	m1 := m / 2
	b2 := b[m1*ldb:]
	trmm(bk, m1, n, alpha, a, lda, b, ldb)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m1, n, m-m1, alpha, a[m1:], lda, b2, ldb, 1, b, ldb)
	trmm(bk, m-m1, n, alpha, a[m1*lda+m1:], lda, b2, ldb)
}

// rowPanel is the number of rows of a matrix of right-hand sides that are solved together where
// each row is one. It bounds what has to stay in the cache between the two triangular solves, and
// is enough that unpacking the triangle for each panel, n² copies against 2*rowPanel*n² flops, does
// not count.
const rowPanel = 1024
