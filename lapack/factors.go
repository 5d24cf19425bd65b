package lapack

import (
	"slices"

	"blskernel/internal/linalg/block"

	gonummat "gonum.org/v1/gonum/mat"
)

// permutation writes to dst, or to a new slice if dst is nil, the p for which row i moves to row p[i]
// when rows k and swap[k] are exchanged for k = 0, 1, ... An empty swap gives the identity.
func permutation(dst []int, n int, swap []int) []int {
	if dst == nil {
		dst = make([]int, n)
	}
	require(len(dst) == n, pivotsLength)
	for i := range dst {
		dst[i] = i
	}
	for k, s := range slices.Backward(swap) {
		dst[k], dst[s] = dst[s], dst[k]
	}
	return dst
}

// triangleTo copies the triangle kind of the n×n matrix a to dst, with ones on the diagonal if unit is
// set. An empty dst gets the right size.
func triangleTo(dst *gonummat.TriDense, kind gonummat.TriKind, n int, a block.Matrix, unit bool) {
	if dst.IsEmpty() {
		if n == 0 {
			return
		}
		dst.ReuseAsTri(n, kind)
	}
	order, of := dst.Triangle()
	checkShape(order == n)
	if of != kind {
		panic(gonummat.ErrTriangle)
	}
	raw := dst.RawTriangular()
	for i := range n {
		from, to := i, n
		if kind == gonummat.Lower {
			from, to = 0, i+1
		}
		copy(raw.Data[i*raw.Stride+from:], a.Elements(i, from, to))
		if unit {
			raw.Data[i*raw.Stride+i] = 1
		}
	}
}
