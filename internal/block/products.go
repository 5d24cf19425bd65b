package block

import "gonum.org/v1/gonum/blas"

// Products are the operations on blocks that a backend may do in place. On supplies them for every other.
//
// The result does not overlap an operand; it may lie in the same packed matrix. Nothing is checked.
type Products interface {
	// BlockGemm computes C = C + alpha·op(A)·op(B) for an m×n block C, op(A) m×k and op(B) k×n.
	BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b, c Matrix)

	// BlockSyrk computes the upper triangle of C = C + alpha·A·diag(d)·Aᵀ, if t is blas.NoTrans, A n×k, or of
	// C = C + alpha·Aᵀ·diag(d)·A, A k×n, for an n×n block C on the diagonal; a nil d is the identity.
	BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix)

	// BlockTrsm solves op(A)·X = alpha·B (s is blas.Left, A m×m) or X·op(A) = alpha·B (s is blas.Right, A n×n)
	// for the m×n block B, which X overwrites, and the dense triangle ul of a.
	BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b Matrix)
}
