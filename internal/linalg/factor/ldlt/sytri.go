package ldlt

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Sytri overwrites the U that Sytrf left in the upper triangle of the n×n matrix a with A⁻¹ = Pᵀ
// (UᵀDU)⁻¹ P; d and swap are Sytrf's. It takes 2n³/3 flops and halves U down to order base.
func Sytri(bk factor.Backend, base, n int, a block.Matrix, d *Diagonal, swap []int) {
	Inverse(bk, blas.Upper, base, n, a, d)
	exchangeSymmetric(bk, n, a, swap)
}

// elementTime is the approximate time, in nanoseconds, to load an element from memory.
const elementTime = 8

// exchangeSymmetric exchanges rows and columns k and swap[k] of the symmetric matrix in the upper
// triangle of a, for k = n-1 down to 0. An exchange at k also swaps two elements of each row above k.
// Nothing else changes such a row before its own exchange, so these swaps are done first, row by row.
// The exchanges in rows k and below follow.
func exchangeSymmetric(bk factor.Backend, n int, a block.Matrix, swap []int) {
	exchangeInRows(bk, n, a, swap, func(row int) int { return row + 1 }, true)
	// One function value serves all exchanges.
	var row []float64
	var k, s int
	down := func(from, to int) {
		from, to = from+k+1, to+k+1
		at := a.Row(from) + s
		step, change := a.Down(from)
		for i := from; i < to; i++ {
			row[i], a.X[at] = a.X[at], row[i]
			at += step
			step += change
		}
	}
	for k = n - 1; k >= 0; k-- {
		s = swap[k]
		if s == k {
			continue
		}
		row = a.X[a.Row(k):]
		other := a.X[a.Row(s):]
		row[k], other[s] = other[s], row[k]
		bk.BlockRows(s-k-1, quickSuccession*elementTime, down)
		factor.Exchange(row[s+1:n], other[s+1:n])
	}
}
