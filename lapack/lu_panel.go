package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A luPanel is the transpose of some columns of the matrix that is left of A: its rows are these
// columns, contiguous, which is how pivots are looked for and columns are updated. Factorized, it holds
// Lᵀ, whose diagonal of ones is not stored, and Uᵀ.
type luPanel struct {
	bk   blskernel.Backend
	m, n int       // the columns have m elements, and there are n of them, n <= m
	x    []float64 // column j is x[j*ld : j*ld+m]
	ld   int
	swap []int // rows k and swap[k] of A were exchanged, for k = 0, 1, ...
}

// luColumns is the number of columns of a panel that are eliminated one by one.
const luColumns = 8

// panelStride returns the distance between the columns of a panel: 8 modulo 16, so that elements of a
// row of A, which are one distance apart, are in different sets of a cache.
func panelStride(m int) int { return (m+15)/16*16 + 8 }

func (p *luPanel) column(j int) []float64 { return p.x[j*p.ld : j*p.ld+p.m] }

// factor eliminates the columns j0, ..., j1-1, to which those before j0 have been applied, by halves.
func (p *luPanel) factor(j0, j1 int) *PivotError {
	n := j1 - j0
	if n <= luColumns {
		return p.eliminate(j0, j1)
	}
	n1 := n / 2
	j := j0 + n1
	if err := p.factor(j0, j); err != nil {
		return err
	}
	top := p.x[j0*p.ld:]
	p.bk.Dtrsm(blas.Right, blas.Upper, blas.NoTrans, blas.Unit, n-n1, n1, 1, top[j0:], p.ld, p.x[j*p.ld+j0:], p.ld)
	p.bk.Dgemm(blas.NoTrans, blas.NoTrans, n-n1, p.m-j, n1, -1, p.x[j*p.ld+j0:], p.ld, top[j:], p.ld, 1, p.x[j*p.ld+j:], p.ld)
	return p.factor(j, j1)
}

// eliminate is factor for few columns: every column is brought up to date by those before it when its
// turn comes.
func (p *luPanel) eliminate(j0, j1 int) *PivotError {
	for j := j0; j < j1; j++ {
		col := p.column(j)
		for k := j0 + 1; k < j; k++ {
			for i := j0; i < k; i++ {
				col[k] -= p.x[i*p.ld+k] * col[i]
			}
		}
		if j > j0 {
			p.bk.Dgemv(blas.Trans, j-j0, p.m-j, -1, p.x[j0*p.ld+j:], p.ld, col[j0:], 1, 1, col[j:], 1)
		}
		s := j + largestAt(col[j:])
		pivot := col[s]
		if pivot == 0 {
			return &PivotError{Routine: "Dgetrf", Index: j, Pivot: pivot, Err: ErrSingular}
		}
		if !isFinite(pivot) {
			return &PivotError{Routine: "Dgetrf", Index: j, Pivot: pivot, Err: ErrNotFinite}
		}
		p.swap[j] = s
		if s != j {
			for at := 0; at < p.n*p.ld; at += p.ld {
				p.x[at+j], p.x[at+s] = p.x[at+s], p.x[at+j]
			}
		}
		if j+1 == p.m {
			break
		}
		if invertible(pivot) {
			p.bk.Dscal(p.m-j-1, 1/pivot, col[j+1:], 1)
		} else {
			divide(col[j+1:], pivot)
		}
	}
	return nil
}

// largestAt returns the position of the first element of x that has the largest magnitude, where NaN is
// larger than infinity: a NaN is always found.
func largestAt(x []float64) int {
	const magnitude = 1<<63 - 1
	at, top := 0, uint64(0)
	for i, v := range x {
		// Magnitudes are ordered as their bits are.
		if m := math.Float64bits(v) & magnitude; m > top {
			at, top = i, m
		}
	}
	return at
}

// load copies the m×n matrix a to the panel, store copies it back.
func (p *luPanel) load(a []float64, lda int) {
	on := block.On(p.bk)
	p.inSquares(on, func(i, rows int) { on.Transpose(rows, p.n, a[i*lda:], lda, p.x[i:], p.ld) })
}

func (p *luPanel) store(a []float64, lda int) {
	on := block.On(p.bk)
	p.inSquares(on, func(i, rows int) { on.Transpose(p.n, rows, p.x[i:], p.ld, a[i*lda:], lda) })
}

// inSquares calls do for ranges of rows of a of about as many rows as the panel has columns, so that
// the lines of what is written stay in the cache until they are complete. An element takes about a
// nanosecond where it comes from memory.
func (p *luPanel) inSquares(on block.Products, do func(i, rows int)) {
	const square = 64
	on.BlockRows((p.m+square-1)/square, square*p.n, block.RowFunc(func(from, to int) {
		for i := from * square; i < min(to*square, p.m); i += square {
			do(i, min(square, p.m-i))
		}
	}))
}
