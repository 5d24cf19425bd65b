package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// refineBlock is the number of rows of |A| that are made at a time: a workspace of 128n, and one
// pass over A for 2*refineBlock flops an element and column.
const refineBlock = 128

// multiplyDense returns the function multiply of a refiner for the square a.
func multiplyDense(bk blskernel.Backend, a blas64.General) func(c int, x, y, w []float64) {
	return func(c int, x, y, w []float64) {
		n := a.Rows
		bk.Dgemm(blas.NoTrans, blas.NoTrans, n, c, n, -1, a.Data, a.Stride, x, c, 1, y, c)
		takeAbs(x)
		work := make([]float64, min(refineBlock, n)*n)
		for i := 0; i < n; i += refineBlock {
			rows := min(refineBlock, n-i)
			for r := range rows {
				copyAbs(work[r*n:(r+1)*n], a.Data[(i+r)*a.Stride:])
			}
			bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, c, n, 1, work, n, x, c, 1, w[i*c:], c)
		}
	}
}

// multiplyPacked returns the function multiply of a refiner for the symmetric packed ap of order n. A
// block of rows of |A|, from the diagonal on, is used twice: as it is, and transposed for the rows
// below.
func multiplyPacked(bk blskernel.Backend, n int, ap []float64) func(c int, x, y, w []float64) {
	return func(c int, x, y, w []float64) {
		blskernel.Packed(bk).Dspmm(blas.Left, n, c, -1, ap, x, c, 1, y, c)
		takeAbs(x)
		work := make([]float64, min(refineBlock, n)*n)
		for i := 0; i < n; i += refineBlock {
			rows, ld := min(refineBlock, n-i), n-i
			for r := range rows {
				row := work[r*ld : (r+1)*ld]
				copyAbs(row[r:], ap[block.PackedRow(n, i+r)+i+r:])
				for s := range r {
					row[s] = work[s*ld+r]
				}
			}
			xi := x[i*c:]
			bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, c, ld, 1, work, ld, xi, c, 1, w[i*c:], c)
			if rest := ld - rows; rest > 0 {
				bk.Dgemm(blas.Trans, blas.NoTrans, rest, c, rows, 1, work[rows:], ld, xi, c, 1, w[(i+rows)*c:], c)
			}
		}
	}
}

// takeAbs replaces the elements of x by their magnitudes.
func takeAbs(x []float64) {
	for i, v := range x {
		x[i] = math.Abs(v)
	}
}

// copyAbs fills dst with the magnitudes of as many elements of src.
func copyAbs(dst, src []float64) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] = math.Abs(v)
	}
}
