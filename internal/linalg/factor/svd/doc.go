// Package svd computes singular value decompositions: reflections give A = Q B Pᵀ with B bidiagonal,
// and divide and conquer gives B = U Σ Vᵀ. Algorithms of high relative accuracy compute the values
// (dqds) and the leaves of divide and conquer (QR).
//
// Vectors are stored as rows until the last step, and A as Aᵀ, so that reflections and rotations work
// along rows.
//
// A routine has LAPACK's name without the d. It does not check its arguments.
package svd
