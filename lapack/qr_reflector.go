package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A reflector is the product H = I - V T Vᵀ of some reflections, one for each of the cols columns of V,
// with T upper triangular (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989). V is a copy
// with the ones on its diagonal and the zeros above them, without gaps, so that products with it are
// Dgemm.
type reflector struct {
	rows, cols int
	v          []float64
	t          []float64
	ldt        int
}

// reflector returns the block of reflections that begins with column i of the factorization stored
// in qr; V is written to work, of l*block() elements.
func (f *QR) reflector(qr blas64.General, i int, work []float64) reflector {
	h := reflector{rows: qr.Rows - i, cols: min(f.block(), qr.Cols-i), ldt: f.block(), t: f.t[i*f.block():], v: work}
	h.load(qr.Data[i*qr.Stride+i:], qr.Stride)
	return h
}

// load copies V from below the diagonal of a.
func (h reflector) load(a []float64, lda int) {
	for r := range h.rows {
		copy(h.v[r*h.cols:(r+1)*h.cols], a[r*lda:])
	}
	h.unitLower()
}

// unitLower makes the top of V unit lower triangular.
func (h reflector) unitLower() {
	for r := range h.cols {
		row := h.v[r*h.cols : (r+1)*h.cols]
		row[r] = 1
		clear(row[r+1:])
	}
}

// makeT computes T from V and the factors tau of the reflections: its column j is -tau_j T (VᵀV)_j
// above the diagonal, with T as far as it is known, and tau_j on it. column has cols elements.
// (LAPACK: dlarft.)
func (h reflector) makeT(bk blskernel.Backend, tau, column []float64) {
	bk.Dsyrk(blas.Upper, blas.Trans, h.cols, h.rows, 1, h.v, h.cols, 0, h.t, h.ldt)
	for j := range h.cols {
		for i := range j {
			column[i] = h.t[i*h.ldt+j]
		}
		for i := range j {
			s := 0.0
			for k, v := range h.t[i*h.ldt+i : i*h.ldt+j] {
				s += v * column[i+k]
			}
			h.t[i*h.ldt+j] = -tau[j] * s
		}
		h.t[j*h.ldt+j] = tau[j]
	}
}

// apply overwrites C, of n columns, by (I - V op(T) Vᵀ) C; work has cols*n elements. It takes about
// 4*rows*cols*n flops. (LAPACK: dlarfb.)
func (h reflector) apply(bk blskernel.Backend, t blas.Transpose, n int, c []float64, ldc int, work []float64) {
	if n == 0 {
		return
	}
	bk.Dgemm(blas.Trans, blas.NoTrans, h.cols, n, h.rows, 1, h.v, h.cols, c, ldc, 0, work, n)
	bk.Dtrmm(blas.Left, blas.Upper, t, blas.NonUnit, h.cols, n, 1, h.t, h.ldt, work, n)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, h.rows, n, h.cols, -1, h.v, h.cols, work, n, 1, c, ldc)
}

// columns writes the first cols columns of H, those of I - V T V1ᵀ where V1 are the first rows of V, to
// q; work has cols*cols elements.
func (h reflector) columns(bk blskernel.Backend, q []float64, ldq int, work []float64) {
	n := h.cols
	w := work[:n*n]
	clear(w)
	for i := range n {
		copy(w[i*n+i:(i+1)*n], h.t[i*h.ldt+i:])
	}
	bk.Dtrmm(blas.Right, blas.Lower, blas.Trans, blas.Unit, n, n, 1, h.v, n, w, n)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, h.rows, n, n, -1, h.v, n, w, n, 0, q, ldq)
	for i := range n {
		q[i*ldq+i]++
	}
}
