package block

import "gonum.org/v1/gonum/blas"

// Products are the operations on blocks that a backend may do in place. On supplies them for every
// other.
//
// The result does not overlap an operand; it may lie in the same packed matrix. Nothing is checked.
type Products interface {
	// BlockGemm computes C = alpha·op(A)·op(B) + beta·C for an m×n block C, op(A) m×k and op(B) k×n, k
	// > 0.
	BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b Matrix, beta float64, c Matrix)

	// BlockSyrk computes the upper triangle of C = C + alpha·A·diag(d)·Aᵀ, if t is blas.NoTrans, A n×k,
	// or of C = C + alpha·Aᵀ·diag(d)·A, A k×n, for an n×n block C on the diagonal; a nil d is the
	// identity.
	BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix)

	// BlockTrsm solves op(A)·X = alpha·B (s is blas.Left, A m×m) or X·op(A) = alpha·B (s is blas.Right,
	// A n×n) for the m×n block B, which X overwrites, and the triangle ul of A; a packed A is upper.
	BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix)

	// BlockRows calls work.Rows for ranges that together are the rows 0 to rows-1, at the same time if
	// that is worth it for rows that take so many nanoseconds each.
	BlockRows(rows, nanoseconds int, work RowWork)

	// Transpose copies the transpose of an m×n matrix: dst[j*ldd+i] = src[i*lds+j], m and n at least 1.
	Transpose(m, n int, src []float64, lds int, dst []float64, ldd int)

	// AbsMax returns the place and the size of the first of the largest |x[i]|. A NaN is never the
	// largest; it returns 0, 0 if none is larger than zero.
	AbsMax(x []float64) (at int, size float64)

	// AddAbs computes sums[i] += |x[i]| and returns the sum of |x[i]|, where NaN and infinities show.
	AddAbs(x, sums []float64) float64
}

// A RowWork is something to be done to rows of which none depends on another.
type RowWork interface{ Rows(from, to int) }

// RowFunc is a function as a RowWork.
type RowFunc func(from, to int)

// Rows calls f.
func (f RowFunc) Rows(from, to int) { f(from, to) }
