package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"
)

// Refine improves the solution x of A X = B, for the square a that was factored and the right-hand
// sides b, by one step of iterative refinement, and returns bounds of its errors: see Cholesky.Refine,
// whose sizes, flops, errors and panics it has. (LAPACK: dgerfs.)
func (f *LU) Refine(x, a, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	n := f.Dim()
	rows, cols := a.Dims()
	checkShape(rows == n && cols == n)
	raw := a.RawMatrix()
	finiteA := func() error { return checkFinite("Dgerfs", raw, ErrNotFinite) }
	return refine(f.Backend, "Dgerfs", n, x, raw, b, finiteA, func(bk blskernel.Backend) refiner {
		on, amax := block.On(bk), 0.0
		for i := range n {
			_, v := on.AbsMax(raw.Data[i*raw.Stride : i*raw.Stride+n])
			amax = max(amax, v)
		}
		return refiner{
			n:         n,
			largest:   amax,
			multiply:  multiplyDense(bk, raw),
			solve:     func(c int, x []float64, ldx int) { f.solve(bk, c, x, ldx) },
			solveRows: func(m int, x []float64, ldx int) { f.solveRows(bk, m, x, ldx) },
		}
	})
}
