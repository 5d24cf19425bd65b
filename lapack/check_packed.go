package lapack

import (
	"sync/atomic"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/isfinite"
)

// norm1Packed returns the 1-norm of the n×n packed symmetric matrix ap, or an *ElementError for its
// first element that is NaN or infinite: both in one pass.
func norm1Packed(bk blskernel.Backend, routine string, n int, ap []float64) (float64, error) {
	on, sums := block.On(blskernel.Or(bk)), make([]float64, n)
	for i := range n {
		at := block.PackedRow(n, i)
		diagonal := sums[i]
		sums[i] = 0
		sums[i] = diagonal + on.AddAbs(ap[at+i:at+n], sums[i:])
	}
	norm := 0.0
	for _, s := range sums {
		if !isFinite(s) {
			// A sum may overflow without any such element.
			return s, checkFinitePacked(routine, n, ap, ErrNotFinite)
		}
		norm = max(norm, s)
	}
	return norm, nil
}

// finiteInverse returns an *ElementError that matches ErrSingular for the first element of the packed
// ap that is NaN or infinite, or nil.
func finiteInverse(on block.Products, routine string, n int, ap []float64) error {
	var failed atomic.Bool
	on.BlockRows(n, 1+n/8, block.RowFunc(func(from, to int) {
		if !isfinite.All(ap[block.PackedRow(n, from)+from : block.PackedRow(n, to)+to]) {
			failed.Store(true)
		}
	}))
	if !failed.Load() {
		return nil
	}
	return checkFinitePacked(routine, n, ap, ErrSingular)
}
