package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// reflectorColumns is the number of reflections of dgeqrf that Orgqr applies together.
const reflectorColumns = 32

// Orgqr overwrites the reflections that LAPACK's dgeqrf left below the diagonal of the m×n dense a in
// its first k columns, tau their k factors, by the first n columns of their product Q, 0 < k <= n <= m.
// It takes 4mnk - 2(m+n)k² + 4k³/3 flops. (LAPACK: dorgqr.)
func Orgqr(bk Backend, m, n, k int, a block.Matrix, tau []float64) {
	const nb = reflectorColumns
	v, t := make([]float64, m*nb), block.Dense(make([]float64, nb*nb), nb)
	formQ(bk, m, n, k, a, nb, func(i int) reflector {
		h := reflector{rows: m - i, cols: min(nb, k-i), t: t}
		h.v = block.Dense(v, h.cols)
		var column [nb]float64
		h.load(a.Sub(i, i))
		h.larft(bk, tau[i:], column[:])
		return h
	})
}

// Orgqr overwrites a, f.A or a copy of it, by the M×N Q.
func (f QR) Orgqr(bk Backend, a block.Matrix) {
	v := make([]float64, f.M*min(f.NB, f.N))
	formQ(bk, f.M, f.N, f.N, a, f.NB, func(i int) reflector { return f.reflector(a, i, v) })
}

// formQ is Orgqr; reflections returns the nb reflections from column i on, or the last ones. Its
// workspace is nb*n numbers at most.
//
// It starts from the first columns of I and multiplies by blocks of reflections H, from the last to the
// first; the first columns of H take the place of V itself.
func formQ(bk Backend, m, n, k int, a block.Matrix, nb int, reflections func(i int) reflector) {
	for i := range m {
		clear(a.Elements(i, k, n))
		if k <= i && i < n {
			a.X[a.Row(i)+i] = 1
		}
	}
	work := make([]float64, min(nb, k)*n)
	for i := (k - 1) / nb * nb; i >= 0; i -= nb {
		h, panel := reflections(i), a.Sub(i, i)
		h.apply(bk, blas.NoTrans, n-i-h.cols, panel.Sub(0, h.cols), work)
		h.columns(bk, panel, work)
		for j := range i {
			clear(a.Elements(j, i, i+h.cols))
		}
	}
}
