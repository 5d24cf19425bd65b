package factor

import (
	"cmp"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// exchangeTime is the approximate time in nanoseconds to exchange eight elements of two rows.
const exchangeTime = 5

// Laswp exchanges rows k and swap[k] of x, in its first cols columns, for k = 0, 1, ...: it multiplies
// x by a permutation P from the left. If back is set, k descends, and it multiplies by Pᵀ.
//
// The columns are split into one range per thread, because exchanged rows are far apart, and long
// pieces stream better from memory.
func Laswp(bk Backend, cols int, x block.Matrix, swap []int, back bool) {
	if cols <= exchangeLoop {
		laswp(x, 0, cols, swap, back)
		return
	}
	width := (cols/blskernel.Threads() + 8) / 8 * 8
	bk.BlockRows((cols+width-1)/width, len(swap)*width/8*exchangeTime, func(from, to int) {
		laswp(x, from*width, min(to*width, cols), swap, back)
	})
}

// laswp is Laswp for the columns [from, to).
func laswp(x block.Matrix, from, to int, swap []int, back bool) {
	for k := range swap {
		if back {
			k = len(swap) - 1 - k
		}
		if s := swap[k]; s != k {
			Exchange(x.Elements(k, from, to), x.Elements(s, from, to))
		}
	}
}

// exchangeLoop is the length below which Exchange uses a loop: clearing its buffer would take longer.
const exchangeLoop = 64

// Exchange exchanges the elements of p and q, which have the same length and are identical or disjoint.
// Long rows go through a buffer in the L1 cache, since three vectorized copies are faster than a loop.
func Exchange(p, q []float64) {
	if len(p) < exchangeLoop {
		q = q[:len(p)]
		for i, v := range p {
			p[i], q[i] = q[i], v
		}
		return
	}
	var buffer [256]float64
	for len(p) > 0 {
		n := copy(buffer[:], p)
		copy(p[:n], q)
		copy(q, buffer[:n])
		p, q = p[n:], q[n:]
	}
}

// Lapmt exchanges columns k and swap[k] of the m×n matrix x, for k = 0, 1, ...: it multiplies x by
// Laswp's Pᵀ from the right. If back is set, k descends, and P replaces Pᵀ. Lapmt takes about 1 ns per
// element.
func Lapmt(bk Backend, m int, x block.Matrix, swap []int, back bool) {
	Rows(bk, m, len(swap), exchanges{x, swap, back}, func(e exchanges, i, end int) {
		for ; i < end; i++ {
			ExchangeElements(e.x.Elements(i, 0, len(e.swap)), e.swap, 0, e.back)
		}
	})
}

// ExchangeElements exchanges elements k and swap[k] of x, for k = from, from+1, ... or, if back is set,
// in reverse order.
func ExchangeElements(x []float64, swap []int, from int, back bool) {
	if !back {
		for k, s := range swap[from:] {
			x[from+k], x[s] = x[s], x[from+k]
		}
		return
	}
	x = x[:len(swap)]
	for k := len(x) - 1; k >= from; k-- {
		s := swap[k]
		x[k], x[s] = x[s], x[k]
	}
}

// exchanges are the arguments of Lapmt.
type exchanges struct {
	x    block.Matrix
	swap []int
	back bool
}

// PermuteRHS calls Laswp for the nrhs columns of b if side is Left, otherwise Lapmt for its nrhs rows.
func PermuteRHS(bk Backend, side blas.Side, nrhs int, b block.Matrix, swap []int, back bool) {
	if side == blas.Left {
		Laswp(bk, nrhs, b, swap, back)
	} else {
		Lapmt(bk, nrhs, b, swap, back)
	}
}

// Indices returns the indices 0 to n-1.
func Indices(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Ascending returns the indices that sort s in ascending order; equal elements keep their order.
func Ascending(s []float64) (order []int) {
	order = Indices(len(s))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s[i], s[j]) })
	return order
}

// Sort sorts s in ascending order and returns the order: s[i] is the former s[order[i]].
func Sort(s []float64) (order []int) {
	order = Ascending(s)
	Permute(order, block.Dense(s, 1), 1)
	return order
}

// Permute moves row order[i] of a, in its first cols columns, to row i, for all i.
func Permute(order []int, a block.Matrix, cols int) {
	for i, from := range order {
		for from < i { // this row has already moved
			from = order[from]
		}
		Exchange(a.Elements(i, 0, cols), a.Elements(from, 0, cols))
	}
}
