package gemm

import "gonum.org/v1/gonum/blas"

// Dtrmm computes
//
//	B = alpha·op(A)·B   if side is blas.Left, A m×m
//	B = alpha·B·op(A)   otherwise, A n×n
//
// for the m×n matrix B. A is the triangle ul, whose diagonal is taken to be ones, and not read, if d is
// blas.Unit; the other triangle is not read. If alpha = 0, B is set to zero and A is not read. It takes
// m²n or mn² flops.
//
// The triangle is halved again and again; what is off the diagonal is multiplied by Dgemm, and triangles
// of order leaf by plain loops.
func Dtrmm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
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
		t.multiplyLeft(m, n, b, ldb)
	} else {
		t.multiplyRight(m, n, b, ldb)
	}
}

// multiplyLeft overwrites the m×n matrix B by T·B.
func (t triangle) multiplyLeft(m, n int, b []float64, ldb int) {
	if m <= leaf {
		multiply(t, m, n, b, ldb)
		return
	}
	h := middle(m)
	t11, t22, off := t.split(h)
	b1, b2 := b, b[h*ldb:]
	if t.lower {
		t22.multiplyLeft(m-h, n, b2, ldb)
		Dgemm(t.trans, blas.NoTrans, m-h, n, h, 1, off, t.lda, b1, ldb, 1, b2, ldb)
		t11.multiplyLeft(h, n, b1, ldb)
	} else {
		t11.multiplyLeft(h, n, b1, ldb)
		Dgemm(t.trans, blas.NoTrans, h, n, m-h, 1, off, t.lda, b2, ldb, 1, b1, ldb)
		t22.multiplyLeft(m-h, n, b2, ldb)
	}
}

// multiplyRight overwrites the m×n matrix B by B·T.
func (t triangle) multiplyRight(m, n int, b []float64, ldb int) {
	if n <= leaf {
		onTransposed(multiply, t.transposed(), m, n, b, ldb)
		return
	}
	h := middle(n)
	t11, t22, off := t.split(h)
	b1, b2 := b, b[h:]
	if t.lower {
		t11.multiplyRight(m, h, b1, ldb)
		Dgemm(blas.NoTrans, t.trans, m, h, n-h, 1, b2, ldb, off, t.lda, 1, b1, ldb)
		t22.multiplyRight(m, n-h, b2, ldb)
	} else {
		t22.multiplyRight(m, n-h, b2, ldb)
		Dgemm(blas.NoTrans, t.trans, m, n-h, h, 1, b1, ldb, off, t.lda, 1, b2, ldb)
		t11.multiplyRight(m, h, b1, ldb)
	}
}

// multiply is multiplyLeft by plain loops, one row of the result after another: the last first if T is
// lower, because each needs the rows before it as they were.
func multiply(t triangle, m, n int, b []float64, ldb int) {
	row, col := t.strides()
	for s := range m {
		i, others, p := s, m-1-s, s+1 // rows p to p+others are still those of B
		if t.lower {
			i, p = m-1-s, 0
		}
		x := b[i*ldb : i*ldb+n]
		if !t.unit {
			d := t.a[i*row+i*col]
			for j := range x {
				x[j] *= d
			}
		}
		if others > 0 {
			addRows(x, 1, others, t.a[i*row+p*col:], col, b[p*ldb:], ldb)
		}
	}
}
