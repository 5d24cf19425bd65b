package block

import "gonum.org/v1/gonum/blas"

// Ops are operations on blocks that a backend may implement. Package internal/linalg/blas makes them
// for every other.
//
// The result does not overlap an operand; both may lie in the same packed matrix. Nothing is checked.
type Ops interface {
	// BlockGemm computes C = alpha·op(A)·op(B) + beta·C for an m×n C, m×k op(A) and k×n op(B), k >
	// 0.
	BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b Matrix, beta float64, c Matrix)

	// BlockSyrk computes the upper triangle of C = C + alpha·A·diag(d)·Aᵀ (t is blas.NoTrans, A
	// n×k) or C = C + alpha·Aᵀ·diag(d)·A (A k×n) for an n×n C on the diagonal; a nil d is the
	// identity.
	BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix)

	// BlockTrsm solves op(A)·X = alpha·B (s is blas.Left, A m×m) or X·op(A) = alpha·B (s is
	// blas.Right, A n×n) for the triangle ul of A, which is upper if A is packed. X overwrites the
	// m×n B.
	BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix)

	Vectors
}

// Vectors are the operations of Ops that are no products.
type Vectors interface {
	// BlockRows splits the rows 0 to rows-1, which do not depend on each other, into ranges, calls
	// do for each, and waits. It does so on several goroutines if that is worth it for rows of the
	// given number of nanoseconds.
	BlockRows(rows, nanoseconds int, do func(from, to int))

	// Transpose copies the transpose of an m×n matrix: dst[j*ldd+i] = src[i*lds+j], m and n at
	// least 1.
	Transpose(m, n int, src []float64, lds int, dst []float64, ldd int)

	// AbsMax returns the index and the size of the first of the largest |x[i]|. It ignores NaN, and
	// returns 0, 0 if no element is larger than zero.
	AbsMax(x []float64) (at int, size float64)

	// AddAbs computes sums[i] += |x[i]| and returns the sum of |x[i]|, which is not finite if an
	// element is not.
	AddAbs(x, sums []float64) float64

	// Rot overwrites x by c·x + s·y, and y, which is as long, by c·y - s·x. Each product and each
	// sum is rounded.
	Rot(c, s float64, x, y []float64)
}
