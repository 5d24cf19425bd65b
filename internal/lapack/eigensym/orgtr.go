package eigensym

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// reflections is the number of reflections that Orgtr applies together.
const reflections = 64

// Orgtr overwrites the n×n dense a, with what Sytrd left there, by Qᵀ, in 4n³/3 flops. It begins with
// the last reflections, so that Qᵀ is the identity but for a block that grows. (LAPACK: dorgtr.)
func Orgtr(bk lapack.Backend, n int, a block.Matrix, tau []float64) {
	most := min(reflections, n)
	store, work, tri, column := make([]float64, n*most), make([]float64, n*most), make([]float64, most*most), make([]float64, most)
	for i := (n - 2) / reflections * reflections; i >= 0 && n > 1; i -= reflections {
		m := n - 1 - i
		k := min(reflections, m)
		h := lapack.Reflector{Rows: m, Cols: k, V: block.Dense(store, k), T: block.Dense(tri, k)}
		block.CopyTransposed(h.V, a.Sub(i, i+1), k, m)
		for r := range k {
			clear(h.V.Elements(r, r+1, k))
		}
		h.Larft(bk, tau[i:i+k], column)

		// C = diag(I, C2) becomes C - (C V) Tᵀ Vᵀ.
		c, w := a.Sub(i+1, i+1), block.Dense(work, k)
		for r := range m {
			clear(c.Elements(r, 0, k))
			if r < k {
				clear(c.Elements(r, k, m))
				c.X[c.Row(r)+r] = 1
			}
		}
		block.Copy(w, h.V, k, k)
		if rest := m - k; rest > 0 {
			c2, v2, w2 := c.Sub(k, k), h.V.Sub(k, 0), w.Sub(k, 0)
			bk.Dgemm(blas.NoTrans, blas.NoTrans, rest, k, rest, 1, c2.X, c2.Ld, v2.X, v2.Ld, 0, w2.X, w2.Ld)
		}
		bk.Dtrmm(blas.Right, blas.Upper, blas.Trans, blas.NonUnit, m, k, 1, h.T.X, h.T.Ld, w.X, w.Ld)
		bk.Dgemm(blas.NoTrans, blas.Trans, m, m, k, -1, w.X, w.Ld, h.V.X, h.V.Ld, 1, c.X, c.Ld)
	}
	for r := range n {
		a.X[a.Row(r)] = 0
	}
	clear(a.Elements(0, 0, n))
	a.X[0] = 1
}
