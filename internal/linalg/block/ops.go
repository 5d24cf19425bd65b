package block

import "gonum.org/v1/gonum/blas"

// Ops are operations on blocks that a backend may implement. Package internal/linalg/blas implements
// them for all other backends.
//
// The result must not overlap an operand, but may lie in the same packed matrix. Nothing is checked.
type Ops interface {
	// BlockGemm computes C = alpha·op(A)·op(B) + beta·C. C is m×n, op(A) m×k and op(B) k×n, k > 0.
	BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b Matrix, beta float64, c Matrix)

	// BlockSyrk computes the upper triangle of an n×n diagonal block C: C + alpha·A·diag(d)·Aᵀ for
	// an n×k matrix A if t is blas.NoTrans, and C + alpha·Aᵀ·diag(d)·A for a k×n matrix A
	// otherwise. A nil d stands for diag(d) = I.
	BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix)

	// BlockTrsm solves op(A)·X = alpha·B if s is blas.Left, where A is m×m. It solves X·op(A) =
	// alpha·B if s is blas.Right, where A is n×n. It reads the triangle ul of A, upper if A is
	// packed, without the diagonal if d is blas.Unit. X overwrites the m×n matrix B.
	BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix)

	Vectors
}

// Vectors are the operations of Ops other than products and solves.
type Vectors interface {
	// BlockRows splits the rows 0 to rows-1, which must be independent, into ranges, calls do for
	// each range, and waits. It uses several goroutines if rows that take the given number of
	// nanoseconds each are worth sharing.
	BlockRows(rows, nanoseconds int, do func(from, to int))

	// Transpose copies the transpose of an m×n matrix, m, n >= 1: dst[j*ldd+i] = src[i*lds+j].
	Transpose(m, n int, src []float64, lds int, dst []float64, ldd int)

	// AbsMax returns the index and the magnitude of the element of x that is largest in magnitude,
	// the first if there are several. It ignores NaN, and returns 0, 0 if no magnitude is positive.
	AbsMax(x []float64) (at int, size float64)

	// AddAbs computes sums[i] += |x[i]| and returns the sum of all |x[i]|, which is not finite if
	// an element of x is not.
	AddAbs(x, sums []float64) float64

	// Rot overwrites x with c·x + s·y and y with c·y - s·x; x and y have the same length. Each
	// product and each sum is rounded.
	Rot(c, s float64, x, y []float64)
}
