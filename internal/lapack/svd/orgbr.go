package svd

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// reflectorRows is the number of reflections that orgRows applies together.
const reflectorRows = 32

// orgRows overwrites the k reflections in the rows of the rows×cols a, row i from element i on, by the
// first rows of Qᵀ, where Q is their product, k <= rows <= cols. (LAPACK: dorglq.)
func orgRows(bk lapack.Backend, rows, cols, k int, a block.Matrix, tau []float64) {
	const nb = reflectorRows
	v, t := make([]float64, cols*nb), make([]float64, nb*nb)
	work := make([]float64, rows*nb)
	var column [nb]float64
	for i := k; i < rows; i++ {
		unit(a.Elements(i, 0, cols), i)
	}
	for i := (k - 1) / nb * nb; i >= 0 && k > 0; i -= nb {
		h := lapack.Reflector{Rows: cols - i, Cols: min(nb, k-i), T: block.Dense(t, nb)}
		h.V = block.Dense(v, h.Cols)
		for j := range h.Cols {
			row := a.Elements(i+j, i, cols)
			clear(row[:j])
			row[j] = 1
		}
		block.CopyTransposed(h.V, a.Sub(i, i), h.Cols, h.Rows)
		h.Larft(bk, tau[i:], column[:])
		for j := range h.Cols {
			unit(a.Elements(i+j, 0, cols), i+j)
		}
		h.ApplyRight(bk, blas.Trans, rows-i, a.Sub(i, i), work)
	}
}

// unit makes x the unit vector with a one at i.
func unit(x []float64, i int) {
	clear(x)
	x[i] = 1
}
