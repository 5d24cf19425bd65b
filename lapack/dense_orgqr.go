package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// reflectorColumns is the number of reflections of Dgeqrf that are applied together.
const reflectorColumns = 32

// orgqr overwrites the reflections that LAPACK's dgeqrf left below the diagonal of the m×n a in its
// first k columns, tau their k factors, by the first n columns of their product Q, 0 < k <= n <= m.
// (LAPACK: dorgqr.)
func orgqr(bk blskernel.Backend, m, n, k int, a []float64, lda int, tau []float64) {
	const nb = reflectorColumns
	v, t := make([]float64, m*nb), make([]float64, nb*nb)
	formQ(bk, m, n, k, a, lda, nb, func(i int) reflector {
		h := reflector{rows: m - i, cols: min(nb, k-i), v: v, t: t, ldt: nb}
		var column [nb]float64
		h.load(a[i*lda+i:], lda)
		h.makeT(bk, tau[i:], column[:])
		return h
	})
}

// formQ overwrites the k reflections below the diagonal of the m×n a by the first n columns of their
// product Q, 0 < k <= n <= m. block returns the nb reflections from column i on, or those that there
// are. It takes 4mnk - 2(m+n)k² + 4k³/3 flops, and a workspace of nb*n numbers at most.
//
// It starts from the first columns of I and multiplies by blocks of reflections H, from the last to the
// first; the columns of Q that take the place of V itself are the first ones of H.
func formQ(bk blskernel.Backend, m, n, k int, a []float64, lda, nb int, block func(i int) reflector) {
	for i := range m {
		clear(a[i*lda+k : i*lda+n])
		if k <= i && i < n {
			a[i*lda+i] = 1
		}
	}
	work := make([]float64, min(nb, k)*n)
	for i := (k - 1) / nb * nb; i >= 0; i -= nb {
		h, panel := block(i), a[i*lda+i:]
		h.apply(bk, blas.NoTrans, n-i-h.cols, panel[h.cols:], lda, work)
		h.columns(bk, panel, lda, work)
		for j := range i {
			clear(a[j*lda+i : j*lda+i+h.cols])
		}
	}
}
