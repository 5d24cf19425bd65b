package gemm

import "gonum.org/v1/gonum/blas"

// Dtrsm solves
//
//	op(A)·X = alpha·B   if side is blas.Left, A m×m
//	X·op(A) = alpha·B   otherwise, A n×n
//
// for the m×n matrix X, which overwrites B. A is the triangle ul, whose diagonal is taken to be
// ones, and not read, if d is blas.Unit; the other triangle is not read. A zero on the diagonal
// gives Inf or NaN, as division by it does. If alpha = 0, B is set to zero and A is not read. It
// takes m²n or mn² flops.
//
// The triangle is halved again and again; what is off the diagonal is subtracted by Dgemm, and
// triangles of order leaf are solved by substitution. As for substitution, each column (or row) of X is
// the exact solution for a matrix A + E with |E| <= gamma_m·|A| (Higham, section 8.1 and 8.5); E differs
// from column to column.
func Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if m == 0 || n == 0 {
		return
	}
	s := whole(b, ldb, n)
	s.scale(alpha, 0, m, 0, n)
	if alpha == 0 {
		return
	}
	t := newTriangle(ul, tA, d, a, lda)
	if side == blas.Left {
		t.solveLeft(m, n, b, ldb)
	} else {
		t.solveRight(m, n, b, ldb)
	}
}

// solveLeft overwrites the m×n matrix B by the solution X of T·X = B.
func (t triangle) solveLeft(m, n int, b []float64, ldb int) {
	if m <= leaf {
		substitute(t, m, n, b, ldb)
		return
	}
	h := middle(m)
	t11, t22, off := t.split(h)
	b1, b2 := b, b[h*ldb:]
	if t.lower {
		t11.solveLeft(h, n, b1, ldb)
		Dgemm(t.trans, blas.NoTrans, m-h, n, h, -1, off, t.lda, b1, ldb, 1, b2, ldb)
		t22.solveLeft(m-h, n, b2, ldb)
	} else {
		t22.solveLeft(m-h, n, b2, ldb)
		Dgemm(t.trans, blas.NoTrans, h, n, m-h, -1, off, t.lda, b2, ldb, 1, b1, ldb)
		t11.solveLeft(h, n, b1, ldb)
	}
}

// solveRight overwrites the m×n matrix B by the solution X of X·T = B.
func (t triangle) solveRight(m, n int, b []float64, ldb int) {
	if n <= leaf {
		onTransposed(substitute, t.transposed(), m, n, b, ldb)
		return
	}
	h := middle(n)
	t11, t22, off := t.split(h)
	b1, b2 := b, b[h:]
	if t.lower {
		t22.solveRight(m, n-h, b2, ldb)
		Dgemm(blas.NoTrans, t.trans, m, h, n-h, -1, b2, ldb, off, t.lda, 1, b1, ldb)
		t11.solveRight(m, h, b1, ldb)
	} else {
		t11.solveRight(m, h, b1, ldb)
		Dgemm(blas.NoTrans, t.trans, m, n-h, h, -1, b1, ldb, off, t.lda, 1, b2, ldb)
		t22.solveRight(m, n-h, b2, ldb)
	}
}

// substitute is solveLeft by forward (T lower) or back substitution, one row of X after another.
func substitute(t triangle, m, n int, b []float64, ldb int) {
	row, col := t.strides()
	for s := range m {
		i, known, p := s, s, 0 // rows p to p+known are solved
		if !t.lower {
			i, p = m-1-s, m-s
		}
		x := b[i*ldb : i*ldb+n]
		if known > 0 {
			addRows(x, -1, known, t.a[i*row+p*col:], col, b[p*ldb:], ldb)
		}
		if !t.unit {
			d := t.a[i*row+i*col]
			for j := range x {
				x[j] /= d
			}
		}
	}
}
