package qr

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A Reflector is the product H = I - V T Vᵀ of Cols reflections with a Rows×Cols matrix V and an upper
// triangular T. V is dense and stores its ones and the zeros above them, so Dgemm can multiply by it.
type Reflector struct {
	Rows, Cols int
	V, T       block.Matrix
}

// unitLower makes the top of V unit lower triangular.
func (h Reflector) unitLower() {
	for r := range h.Cols {
		row := h.V.Elements(r, 0, h.Cols)
		row[r] = 1
		clear(row[r+1:])
	}
}

// Apply overwrites C, of n columns, with (I - V op(T) Vᵀ) C; work has Cols*n elements. It takes about
// 4*Rows*Cols*n flops. (LAPACK: dlarfb.)
//
// The product VᵀC is formed as CᵀV, since Dgemm packs its right factor and V is small.
func (h Reflector) Apply(bk factor.Backend, t blas.Transpose, n int, c block.Matrix, work []float64) {
	if n == 0 {
		return
	}
	w := block.Dense(work, h.Cols)
	bk.Gemm(blas.Trans, blas.NoTrans, n, h.Cols, h.Rows, 1, c, h.V, 0, w)
	bk.Trmm(blas.Right, blas.Upper, block.Other(t), blas.NonUnit, n, h.Cols, 1, h.T, w)
	bk.Gemm(blas.NoTrans, blas.Trans, h.Rows, n, h.Cols, -1, h.V, w, 1, c)
}

// ApplyRight is Apply from the right: it overwrites C, of m rows, with C (I - V op(T) Vᵀ). work has
// m*Cols elements.
func (h Reflector) ApplyRight(bk factor.Backend, t blas.Transpose, m int, c block.Matrix, work []float64) {
	if m == 0 {
		return
	}
	if h.Cols == 1 {
		bk.Dgemv(blas.NoTrans, m, h.Rows, h.T.X[0], c.X, c.Ld, h.V.X, h.V.Ld, 0, work, 1)
		bk.Dger(m, h.Rows, -1, work, 1, h.V.X, h.V.Ld, c.X, c.Ld)
		return
	}
	w := block.Dense(work, h.Cols)
	bk.Gemm(blas.NoTrans, blas.NoTrans, m, h.Cols, h.Rows, 1, c, h.V, 0, w)
	bk.Trmm(blas.Right, blas.Upper, t, blas.NonUnit, m, h.Cols, 1, h.T, w)
	bk.Gemm(blas.NoTrans, blas.Trans, m, h.Rows, h.Cols, -1, w, h.V, 1, c)
}

// columns writes the first Cols columns of H, or their transpose, to q. They are the first columns
// of I, minus V T V1ᵀ, where V1 is the first Cols rows of V. work has Cols*Cols elements.
func (h Reflector) columns(bk factor.Backend, transposed bool, q block.Matrix, work []float64) {
	n := h.Cols
	w := block.Dense(work[:n*n], n)
	clear(w.X)
	block.CopyUpper(w, h.T, n)
	bk.Trmm(blas.Right, blas.Lower, blas.Trans, blas.Unit, n, n, 1, h.V, w)
	if transposed {
		bk.Gemm(blas.Trans, blas.Trans, n, h.Rows, n, -1, w, h.V, 0, q)
	} else {
		bk.Gemm(blas.NoTrans, blas.NoTrans, h.Rows, n, n, -1, h.V, w, 0, q)
	}
	for i := range n {
		q.X[q.Row(i)+i]++
	}
}

// Larft computes T from V and the factors tau of the reflections. The diagonal of T is tau; above it,
// column j is -tau_j T (VᵀV)_j, with T's earlier columns. column has Cols elements. (LAPACK: dlarft.)
func (h Reflector) Larft(bk factor.Backend, tau, column []float64) {
	if h.Cols > 1 {
		bk.Dsyrk(blas.Upper, blas.Trans, h.Cols, h.Rows, 1, h.V.X, h.V.Ld, 0, h.T.X, h.T.Ld)
	}
	for j := range h.Cols {
		for i := range j {
			column[i] = h.T.X[h.T.Row(i)+j]
		}
		TimesT(h.T, j, -tau[j], column)
		h.T.X[h.T.Row(j)+j] = tau[j]
	}
}

// larftColumn computes column j of T, T[:j,j] = -tau T[:j,:j] V[:,:j]ᵀ x and T[j,j] = tau, from Vᵀ and
// the columns of T before it. x, of q elements, is column j of V; work has at least j elements.
func larftColumn(bk factor.Backend, j, q int, tau float64, v block.Matrix, x []float64, t block.Matrix, work []float64) {
	t.X[t.Row(j)+j] = tau
	if j == 0 {
		return
	}
	bk.Dgemv(blas.NoTrans, j, q, -tau, v.X, v.Ld, x, 1, 0, work[:j], 1)
	TimesT(t, j, 1, work)
}

// TimesT computes column j of T above the diagonal: T[:j,j] = alpha T[:j,:j] x.
func TimesT(t block.Matrix, j int, alpha float64, x []float64) {
	for i := range j {
		at, s := i*t.Ld, 0.0
		for k, u := range t.X[at+i : at+j] {
			s += float64(u * x[i+k])
		}
		t.X[at+j] = alpha * s
	}
}
