package lapack

import (
	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// potrf overwrites the n×n block a, of which it reads and writes the upper triangle, by its Cholesky
// factor U. It returns -1, or the index of the first pivot that is not a finite positive number, which
// is then on the diagonal. Blocks of order up to base are factored in a dense workspace. (LAPACK:
// dpotrf2, by halves.)
func potrf(bk blskernel.Backend, on block.Products, base, n int, a block.Matrix) int {
	if n <= base {
		bad := -1
		inSquare(n, a, func(x []float64, ld int) { bad = dpotrf(bk, blas.Upper, n, x, ld) })
		return bad
	}
	n1 := split(n)
	n2 := n - n1
	a12, a22 := a.Sub(0, n1), a.Sub(n1, n1)
	if bad := potrf(bk, on, base, n1, a); bad >= 0 {
		return bad
	}
	blockTrsm(on, blas.Left, blas.Trans, blas.NonUnit, n1, n2, 1, a, a12)
	on.BlockSyrk(blas.Trans, n2, n1, -1, a12, nil, a22)
	if bad := potrf(bk, on, base, n2, a22); bad >= 0 {
		return n1 + bad
	}
	return -1
}

// split is where a triangle of order n > 1 is cut in two.
func split(n int) int {
	if h := half(n); h < n {
		return h
	}
	return n / 2
}

// inSquare calls do with a dense copy of the upper triangle of the n×n block a, rows ld apart, and
// copies it back.
func inSquare(n int, a block.Matrix, do func(x []float64, ld int)) {
	ld := squareStride(n)
	w := borrow(n * ld)
	defer w.giveBack()
	x := block.Dense(w.take(n*ld), ld)
	block.CopyUpper(x, a, n)
	do(x.X, ld)
	block.CopyUpper(a, x, n)
}
