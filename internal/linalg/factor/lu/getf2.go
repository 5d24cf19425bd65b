package lu

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A getf2 holds a panel of columns, transposed, so that the search for pivots and the updates run along
// contiguous rows. After factor it holds Uᵀ, and Lᵀ without its unit diagonal. (LAPACK: dgetf2,
// dgetrf2.)
type getf2 struct {
	bk   factor.Backend
	m, n int          // n columns of m elements, n <= m
	a    block.Matrix // the panel of A
	x    block.Matrix // row j is column j of the panel, transposed
	swap []int        // rows k and swap[k] of A were exchanged, for k = 0, 1, ...
}

// unblockedColumns is the number of columns up to which a panel is eliminated column by column.
const unblockedColumns = 8

// panelStride returns the distance between the columns of a panel of m rows: 8 modulo 16, so that the
// elements of a row of A fall into different sets of a cache.
func panelStride(m int) int { return (m+15)/16*16 + 8 }

// factor eliminates columns [j0, j1) recursively. Steps 0 to j0-1 have already been applied to them.
func (p getf2) factor(j0, j1 int) {
	n := j1 - j0
	if n <= unblockedColumns {
		p.eliminate(j0, j1)
		return
	}
	n1 := n / 2
	j := j0 + n1
	p.factor(j0, j)
	right := p.x.Sub(j, j0)
	p.bk.Trsm(blas.Right, blas.Upper, blas.NoTrans, blas.Unit, n1, n-n1, 1, p.x.Sub(j0, j0), right)
	p.bk.Gemm(blas.NoTrans, blas.NoTrans, n-n1, p.m-j, n1, -1, right, p.x.Sub(j0, j), 1, p.x.Sub(j, j))
	p.factor(j, j1)
}

// eliminate is factor for few columns, one by one. It first updates each column with the earlier ones.
func (p getf2) eliminate(j0, j1 int) {
	ld := p.x.Ld
	for j := j0; j < j1; j++ {
		col := p.x.Elements(j, 0, p.m)
		for k := j0 + 1; k < j; k++ {
			for i := j0; i < k; i++ {
				col[k] -= float64(p.x.X[i*ld+k] * col[i])
			}
		}
		if j > j0 {
			p.bk.Dgemv(blas.Trans, j-j0, p.m-j, -1, p.x.X[j0*ld+j:], ld, col[j0:], 1, 1, col[j:], 1)
		}
		s := j + factor.LargestAt(col[j:])
		pivot := col[s]
		p.swap[j] = s
		if s != j {
			for at := 0; at < p.n*ld; at += ld {
				p.x.X[at+j], p.x.X[at+s] = p.x.X[at+s], p.x.X[at+j]
			}
		}
		if j+1 == p.m {
			break
		}
		if pivot != 0 {
			factor.Divide(p.bk, col[j+1:], pivot)
		}
	}
}

// squareRows is the number of rows of A that load and store transpose together. The cache lines that
// they write then stay in the cache until they are complete.
const squareRows = 64

// load copies squares [from, to) of A to the panel, at about a nanosecond for each element.
func (p getf2) load(from, to int) {
	for i := from * squareRows; i < min(to*squareRows, p.m); i += squareRows {
		p.bk.Transpose(min(squareRows, p.m-i), p.n, p.a.X[i*p.a.Ld:], p.a.Ld, p.x.X[i:], p.x.Ld)
	}
}

// store copies squares [from, to) of the panel back to A.
func (p getf2) store(from, to int) {
	for i := from * squareRows; i < min(to*squareRows, p.m); i += squareRows {
		p.bk.Transpose(p.n, min(squareRows, p.m-i), p.x.X[i:], p.x.Ld, p.a.X[i*p.a.Ld:], p.a.Ld)
	}
}
