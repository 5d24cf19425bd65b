package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A reflector is the product H = I - V T Vᵀ of some reflections, one for each of the cols columns of V,
// with T upper triangular. V is a copy with the ones on its diagonal and the zeros above them, without
// gaps, so that products with it are Dgemm.
type reflector struct {
	rows, cols int
	v, t       block.Matrix
}

// load copies V from below the diagonal of a.
func (h reflector) load(a block.Matrix) {
	block.Copy(h.v, a, h.rows, h.cols)
	h.unitLower()
}

// unitLower makes the top of V unit lower triangular.
func (h reflector) unitLower() {
	for r := range h.cols {
		row := h.v.Elements(r, 0, h.cols)
		row[r] = 1
		clear(row[r+1:])
	}
}

// apply overwrites C, of n columns, by (I - V op(T) Vᵀ) C; work has cols*n elements. It takes about
// 4*rows*cols*n flops. (LAPACK: dlarfb.)
func (h reflector) apply(bk Backend, t blas.Transpose, n int, c block.Matrix, work []float64) {
	if n == 0 {
		return
	}
	w := block.Dense(work, n)
	bk.gemm(blas.Trans, blas.NoTrans, h.cols, n, h.rows, 1, h.v, c, 0, w)
	bk.trmm(blas.Left, blas.Upper, t, blas.NonUnit, h.cols, n, 1, h.t, w)
	bk.gemm(blas.NoTrans, blas.NoTrans, h.rows, n, h.cols, -1, h.v, w, 1, c)
}

// columns writes the first cols columns of H, those of I - V T V1ᵀ where V1 are the first rows of V, to
// q; work has cols*cols elements.
func (h reflector) columns(bk Backend, q block.Matrix, work []float64) {
	n := h.cols
	w := block.Dense(work[:n*n], n)
	clear(w.X)
	block.CopyUpper(w, h.t, n)
	bk.trmm(blas.Right, blas.Lower, blas.Trans, blas.Unit, n, n, 1, h.v, w)
	bk.gemm(blas.NoTrans, blas.NoTrans, h.rows, n, n, -1, h.v, w, 0, q)
	for i := range n {
		q.X[q.Row(i)+i]++
	}
}

// larft computes T from V and the factors tau of the reflections: above the diagonal its column j is
// -tau_j T (VᵀV)_j, with T as far as it is known, and on it tau_j. column has cols elements.
// (LAPACK: dlarft.)
func (h reflector) larft(bk Backend, tau, column []float64) {
	bk.Dsyrk(blas.Upper, blas.Trans, h.cols, h.rows, 1, h.v.X, h.v.Ld, 0, h.t.X, h.t.Ld)
	for j := range h.cols {
		for i := range j {
			column[i] = h.t.X[h.t.Row(i)+j]
		}
		timesT(h.t, j, -tau[j], column)
		h.t.X[h.t.Row(j)+j] = tau[j]
	}
}

// larftColumn computes column j of T from T before it and Vᵀ: T[:j,j] = -tau T[:j,:j] V[:,:j]ᵀ x and
// T[j,j] = tau, where x, of q elements, is column j of V. work has j elements.
func larftColumn(bk Backend, j, q int, tau float64, v block.Matrix, x []float64, t block.Matrix, work []float64) {
	t.X[t.Row(j)+j] = tau
	if j == 0 {
		return
	}
	bk.Dgemv(blas.NoTrans, j, q, -tau, v.X, v.Ld, x, 1, 0, work[:j], 1)
	timesT(t, j, 1, work)
}

// timesT writes alpha times the product of the first j rows and columns of T and of x to column j of T.
func timesT(t block.Matrix, j int, alpha float64, x []float64) {
	for i := range j {
		at, s := i*t.Ld, 0.0
		for k, u := range t.X[at+i : at+j] {
			s += float64(u * x[i+k])
		}
		t.X[at+j] = alpha * s
	}
}
