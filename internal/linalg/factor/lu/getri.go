package lu

import (
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// GetriColumns returns the number of columns of the inverse of order n that Getri computes together.
// Small groups spend less time in triangular solves, which are slower than products: the order of the
// triangle is the number of columns in the group. Large groups read the finished columns fewer times;
// for large n, these come from memory.
func GetriColumns(n int) int {
	if n < 1500 {
		return InverseColumns
	}
	return 192
}

// InverseColumns is the number of columns of an inverse that Getri computes together in the caller's
// workspace, as in LAPACK's dgetri.
const InverseColumns = 64

// Getri overwrites the factors of P A = L U in the n×n dense a with A⁻¹ = U⁻¹ L⁻¹ P, in 4n³/3 flops. It
// solves X L = U⁻¹, nb <= n columns at a time from the last (Method B of Higham, Accuracy and Stability
// of Numerical Algorithms, section 14.3). work has nb*n elements; if it is nil, Getri uses its own.
func Getri(bk factor.Backend, nb, n int, a block.Matrix, swap []int, work []float64) {
	if work == nil {
		w := factor.Acquire()
		defer w.Release()
		work = w.Take(nb * n)
	}
	factor.Trtri(bk, blas.Upper, blas.NonUnit, n, a)
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		cols := min(nb, n-j)
		l, x := block.Dense(work, cols), a.Sub(0, j)
		factor.Rows(bk, n-j, cols, lowerColumns{x.Sub(j, 0), l, cols}, lowerColumns.move)
		if rest := n - j - cols; rest > 0 {
			bk.Gemm(blas.NoTrans, blas.NoTrans, n, cols, rest, -1, a.Sub(0, j+cols), l.Sub(cols, 0), 1, x)
		}
		bk.Trsm(blas.Right, blas.Lower, blas.NoTrans, blas.Unit, cols, n, 1, l, x)
	}
	factor.Lapmt(bk, n, a, swap, true)
}

// lowerColumns are the first columns of a matrix that holds L below its diagonal.
type lowerColumns struct {
	from, to block.Matrix
	cols     int
}

// move moves rows [i, end) of L, and puts the zeros of U⁻¹ in their place.
func (c lowerColumns) move(i, end int) {
	for ; i < end; i++ {
		row := c.from.Elements(i, 0, min(c.cols, i))
		copy(c.to.X[c.to.Row(i):], row)
		clear(row)
	}
}

// GetriLibrary overwrites the factors that GetrfLibrary left in a and swap, of order n, with A⁻¹ in a.
func GetriLibrary(lib backend.ColumnMajorLAPACK, n int, a block.Matrix, swap []int) {
	ipiv := make([]int32, n)
	for k, s := range swap {
		ipiv[k] = int32(s + 1)
	}
	lib.Dgetri(n, a.X, a.Ld, ipiv, make([]float64, InverseColumns*n))
}
