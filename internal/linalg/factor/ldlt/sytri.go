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
	exchangeInRows(bk, n, a, swap, nil, true)
	for k := n - 1; k >= 0; k-- {
		s := swap[k]
		if s == k {
			continue
		}
		row := a.X[a.Row(k):]
		other := a.X[a.Row(s):]
		row[k], other[s] = other[s], row[k]
		both := rowAndColumn{row[k+1:], a.Sub(k+1, s)}
		factor.Rows(bk, s-k-1, quickSuccession*elementTime, both, rowAndColumn.exchange)
		factor.Exchange(row[s+1:n], other[s+1:n])
	}
}

// A rowAndColumn is a row and the first column of a block.
type rowAndColumn struct {
	row   []float64
	block block.Matrix
}

func (x rowAndColumn) exchange(i, end int) {
	at := x.block.Row(i)
	step, change := x.block.Down(i)
	for ; i < end; i++ {
		x.row[i], x.block.X[at] = x.block.X[at], x.row[i]
		at += step
		step += change
	}
}
