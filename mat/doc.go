// Package mat has the matrix types of blskernel and their products on a chosen backend.
//
// # Types
//
// Dense is gonum's mat.Dense by alias: callers pass what they already have. SymPacked is a symmetric
// matrix that stores its upper triangle, row after row, in n(n+1)/2 numbers: half the memory of gonum's
// SymDense, in the layout of gonum's blas64.SymmetricPacked. It implements gonum's mat.Symmetric, so
// that every function of gonum that reads a matrix takes it.
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
// An empty dst (the zero value) gets the right size; another must have it already. As in gonum, dst may
// be one of the operands, which costs a copy of that operand, but must not overlap one in part. A
// dst emptied by Reset must not share its old storage with an operand. NaN and Inf in the operands
// reach the result.
//
// # Panics
//
// A mistake of the caller panics before anything is written, with the value of gonum's mat, so that
// mat.Maybe of gonum returns it as an error:
//
//	a negative order or dimension                       mat.ErrNegativeDimension
//	a dimension of zero in NewDense                     mat.ErrZeroLength
//	shapes that do not fit, data of another length      mat.ErrShape
//	an element out of range                             mat.ErrRowAccess, mat.ErrColAccess
//
// A result that overlaps an operand in part panics with the text "mat: bad region: overlap", as in
// gonum, which has no value for that: Maybe does not recover it.
package mat
