// Package lapack factors and inverts dense matrices, and solves linear systems with the factors.
// Symmetric matrices are in packed storage, all others in gonum's dense storage. The algorithms are
// blocked: their work is mostly matrix products on a blskernel.Backend. Implementation provides the
// routines for gonum's lapack64.Use. Flop counts omit lower-order terms; docs/numerics.md has error
// bounds and sources.
//
// # Which factorization
//
// Solve rather than invert: SolveTo costs less than an inverse and has a smaller residual.
//
//   - Cholesky, A = UᵀU: symmetric positive definite A, such as a Gram matrix with a ridge.
//   - LDLT, P A Pᵀ = UᵀDU: symmetric A that may be indefinite.
//   - LU, P A Q = L U: any other square A.
//   - QR, A = Q R: least squares and bases of tall matrices. AppendRows adds rows to R, and
//     MergeTriangles combines two triangles R.
//   - LeastSquares, by QR with column pivoting: the solution of least norm, for any rank.
//
// RCond estimates the reciprocal condition number; the relative error of a solution is up to about
// eps/RCond. Refine improves a solution and bounds its errors. LogDet gives log|det A| and sign(det A).
//
// # Storage
//
// A symmetric matrix is a mat.SymPacked: its upper triangle, row by row, in n(n+1)/2 numbers. Dense
// matrices are row-major and may be views. Factorize works on a copy. FactorizeInPlace works in the
// storage of its argument, which then belongs to the receiver. NaN and infinities in the input are
// reported before anything is written; after any other failure the contents of the argument are
// undefined.
//
// # Solving
//
// In SolveTo and its variants dst may be b. An empty dst gets the right size. The error matches
// ErrNotFinite if b holds NaN or an infinity; dst is then unchanged apart from its size. The error
// matches ErrOverflow if X overflows; dst then holds infinities, and NaN where an infinity met a zero.
// The methods panic with mat.ErrShape for wrong shapes, and with a constant string if dst partially
// overlaps b or the receiver is empty.
//
// # Factors
//
// UTo, LTo and DTo copy a factor. An empty dst gets the right size. The methods panic with mat.ErrShape
// or mat.ErrTriangle if dst has the wrong order or triangle. Pivots, RowPivots and ColumnPivots write a
// permutation to dst, or to new storage if dst is nil, and panic if dst has the wrong length. All
// panic if the receiver is empty.
//
// # Inverses
//
// InverseTo keeps the factorization; an empty dst gets the right size. The error matches ErrOverflow if
// the inverse overflows; dst then holds infinities, and NaN where an infinity met a zero. RCond, not an
// overflow, tells whether A is singular. A *ConditionError comes with the inverse; its RCond uses the
// exact norm of the inverse. InverseTo panics as SolveTo does. InverseInPlace empties the receiver,
// even if it returns an error. The inverse takes the storage of the receiver, unless LU refines it.
//
// # Errors
//
// A failure caused by the data is returned as a *PivotError or an *ElementError. With errors.Is, the
// error matches ErrSingular, ErrNotPositiveDefinite, ErrNotFinite or ErrOverflow. A failed
// factorization leaves its receiver empty. Matrices of order zero are valid.
//
// An exactly zero pivot is a failure. Above a condition number of 1e16, or the type's MaxCondition,
// solves and inverses return the result and a *ConditionError. errors.As extracts gonum's mat.Condition
// from it, and +Inf from a *PivotError for a zero pivot. A *GrowthError also comes with a result: see
// LU.
//
// A mistake of the caller causes a panic. For a wrong shape, its value is an error of gonum's mat,
// which mat.Maybe returns; otherwise it is a constant string.
package lapack
