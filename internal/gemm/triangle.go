package gemm

import "gonum.org/v1/gonum/blas"

// A triangle is T = op(A) for a triangular A: lower says which half of T, not of A, is nonzero. The other
// half of A is never read, nor is the diagonal if unit.
type triangle struct {
	a     []float64
	lda   int
	trans blas.Transpose
	lower bool
	unit  bool
}

func newTriangle(ul blas.Uplo, t blas.Transpose, d blas.Diag, a []float64, lda int) triangle {
	return triangle{
		a: a, lda: lda, trans: t,
		lower: (ul == blas.Lower) == (t == blas.NoTrans),
		unit:  d == blas.Unit,
	}
}

// transposed is Tᵀ.
func (t triangle) transposed() triangle {
	t.trans, t.lower = other(t.trans), !t.lower
	return t
}

// split cuts T after h rows and columns into the triangles T11 and T22 and the storage of the block that
// is not zero, T21 if T is lower and T12 if not; that block is op(off), with t.trans and t.lda.
func (t triangle) split(h int) (t11, t22 triangle, off []float64) {
	t11, t22 = t, t
	t22.a = t.a[h*t.lda+h:]
	if t.lower == (t.trans == blas.NoTrans) {
		return t11, t22, t.a[h*t.lda:]
	}
	return t11, t22, t.a[h:]
}

// strides returns the distances in the storage between the rows and between the columns of T.
func (t triangle) strides() (row, col int) {
	if t.trans == blas.NoTrans {
		return t.lda, 1
	}
	return 1, t.lda
}

// leaf is the order at which the recursions of Dtrsm and Dtrmm end in plain loops.
const leaf = 16

// middle returns where to cut a triangle of order n > leaf: in half, at a multiple of leaf.
func middle(n int) int { return roundUp(n/2, leaf) }

// strip is how many rows of B a leaf on the right turns into columns at a time.
const strip = 64

// onTransposed applies f, which works on the rows of n×w matrices, to the transpose of the m×n matrix
// B, n <= leaf, strip by strip through a buffer.
func onTransposed(f func(t triangle, n, w int, b []float64, ldb int), t triangle, m, n int, b []float64, ldb int) {
	s := scratches.Get().(*scratch)
	s.a = aligned(s.a, leaf*strip)
	buf := s.a
	for ; m > 0; m -= strip {
		w := min(m, strip)
		for i := range w {
			for j, v := range b[i*ldb : i*ldb+n] {
				buf[j*strip+i] = v
			}
		}
		f(t, n, w, buf, strip)
		for i := range w {
			row := b[i*ldb : i*ldb+n]
			for j := range row {
				row[j] = buf[j*strip+i]
			}
		}
		if m > strip {
			b = b[strip*ldb:]
		}
	}
	scratches.Put(s)
}

// addRows adds to y the linear combination sign·(t[0]·X[0,:] + t[step]·X[1,:] + ...) of k rows of X, ldx
// apart, in this order.
func addRows(y []float64, sign float64, k int, t []float64, step int, x []float64, ldx int) {
	n := len(y)
	for ; k >= 4; k -= 4 {
		t0, t1, t2, t3 := sign*t[0], sign*t[step], sign*t[2*step], sign*t[3*step]
		x0, x1, x2, x3 := x[:n], x[ldx:][:n], x[2*ldx:][:n], x[3*ldx:][:n]
		for j := range y {
			y[j] = y[j] + t0*x0[j] + t1*x1[j] + t2*x2[j] + t3*x3[j]
		}
		if k > 4 {
			t, x = t[4*step:], x[4*ldx:]
		}
	}
	for p := range k {
		tp, xp := sign*t[p*step], x[p*ldx:][:n]
		for j := range y {
			y[j] += tp * xp[j]
		}
	}
}
