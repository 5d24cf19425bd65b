package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// reflectorColumns is the number of reflections that are applied together.
const reflectorColumns = 32

// orgqr overwrites the reflections that LAPACK's dgeqrf left below the diagonal of the m×n a in its
// first k columns, tau their k factors, by the first n columns of their product Q, 0 < k <= n <= m.
// (LAPACK: dorgqr.)
//
// It starts from the first columns of I and multiplies by blocks of reflections H = I - V T Vᵀ, from
// the last to the first; the columns of Q that take the place of V itself are the first ones of H.
func orgqr(bk blskernel.Backend, m, n, k int, a []float64, lda int, tau []float64) {
	for i := range m {
		clear(a[i*lda+k : i*lda+n])
		if k <= i && i < n {
			a[i*lda+i] = 1
		}
	}
	const nb = reflectorColumns
	h := reflectors{bk: bk, v: make([]float64, m*nb), t: make([]float64, nb*nb), w: make([]float64, n*nb)}
	for i := (k - 1) / nb * nb; i >= 0; i -= nb {
		cols := min(nb, k-i)
		panel := a[i*lda+i:]
		h.load(m-i, cols, panel, lda, tau[i:i+cols])
		if rest := n - i - cols; rest > 0 {
			h.multiply(rest, panel[cols:], lda)
		}
		h.columns(panel, lda)
		for j := range i {
			clear(a[j*lda+i : j*lda+i+cols])
		}
	}
}

// A reflectors is the product H = I - V T Vᵀ of n reflections, V m×n and T upper triangular
// (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989). V is a copy with the ones on its
// diagonal and the zeros above them, so that it takes part in whole products.
type reflectors struct {
	bk   blskernel.Backend
	m, n int
	v, t []float64 // the rows of both are n apart
	w    []float64 // n rows of whatever is multiplied, and at least n×n
}

// load takes the n reflections below the diagonal of the m×n a, and their factors tau. Column j of T
// is -tau_j T (VᵀV)_j above the diagonal, with T as far as it is known, and tau_j on it. (LAPACK:
// dlarft.)
func (h *reflectors) load(m, n int, a []float64, lda int, tau []float64) {
	h.m, h.n = m, n
	for i := range m {
		row := h.v[i*n : (i+1)*n]
		if i >= n {
			copy(row, a[i*lda:])
			continue
		}
		copy(row[:i], a[i*lda:])
		row[i] = 1
		clear(row[i+1:])
	}
	h.bk.Dsyrk(blas.Upper, blas.Trans, n, m, 1, h.v, n, 0, h.t, n)
	var column [reflectorColumns]float64
	for j := range n {
		for i := range j {
			column[i] = h.t[i*n+j]
		}
		for i := range j {
			s := 0.0
			for k, v := range h.t[i*n+i : i*n+j] {
				s += v * column[i+k]
			}
			h.t[i*n+j] = -tau[j] * s
		}
		h.t[j*n+j] = tau[j]
	}
}

// multiply overwrites the m×cols C by H C. (LAPACK: dlarfb.)
func (h *reflectors) multiply(cols int, c []float64, ldc int) {
	h.bk.Dgemm(blas.Trans, blas.NoTrans, h.n, cols, h.m, 1, h.v, h.n, c, ldc, 0, h.w, cols)
	h.bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, h.n, cols, 1, h.t, h.n, h.w, cols)
	h.bk.Dgemm(blas.NoTrans, blas.NoTrans, h.m, cols, h.n, -1, h.v, h.n, h.w, cols, 1, c, ldc)
}

// columns writes the first n columns of H, those of I - V T V1ᵀ where V1 are the first n rows of V,
// to q.
func (h *reflectors) columns(q []float64, ldq int) {
	w := h.w[:h.n*h.n]
	clear(w)
	for i := range h.n {
		copy(w[i*h.n+i:(i+1)*h.n], h.t[i*h.n+i:])
	}
	h.bk.Dtrmm(blas.Right, blas.Lower, blas.Trans, blas.Unit, h.n, h.n, 1, h.v, h.n, w, h.n)
	h.bk.Dgemm(blas.NoTrans, blas.NoTrans, h.m, h.n, h.n, -1, h.v, h.n, w, h.n, 0, q, ldq)
	for i := range h.n {
		q[i*ldq+i]++
	}
}
