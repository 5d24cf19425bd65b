// Package mat provides the matrix types of blskernel and their products on a chosen backend.
//
// # Types
//
// Dense is an alias for gonum's mat.Dense, so callers can pass existing matrices. SymPacked is a
// symmetric matrix that stores its upper triangle, row by row, in n(n+1)/2 numbers: half the memory of
// gonum's SymDense, in the layout of gonum's blas64.SymmetricPacked. It implements gonum's
// mat.Symmetric, so every function of gonum that reads a matrix accepts it.
//
// # Products
//
// The functions take the backend first (nil stands for blskernel.Default()) and the result second:
//
//	Mul(bk, dst, a, b)                     dst = A B
//	MulTrans(bk, dst, a, aTrans, b, bTrans) dst = op(A) op(B)
//	SymOuterK(bk, dst, alpha, x, xTrans)   S = alpha X Xᵀ, or alpha Xᵀ X
//	SymMul(bk, dst, s, b)                  dst = S B
//	MulSym(bk, dst, b, s)                  dst = B S
//
// An empty dst (the zero value) gets the right size; any other dst must already have it. As in gonum,
// dst may be one of the operands, which costs a copy of that operand, but must not partially overlap an
// operand. The old storage of a dst emptied by Reset must not overlap an operand. NaN and Inf in the
// operands propagate to the result.
//
// # Panics
//
// A mistake of the caller causes a panic before anything is written. The panic value is an error of
// gonum's mat, which mat.Maybe returns:
//
//	a negative order or dimension                       mat.ErrNegativeDimension
//	a dimension of zero in NewDense                     mat.ErrZeroLength
//	shapes that do not match, data of the wrong length  mat.ErrShape
//	an index out of range                               mat.ErrRowAccess, mat.ErrColAccess
//
// A result that partially overlaps an operand panics with the string "mat: bad region: overlap", as in
// gonum, which has no error for this: Maybe does not recover it.
package mat
