// Package svd computes singular value decompositions: A = Q B Pᵀ with B bidiagonal by reflections,
// and B = U Σ Vᵀ by divide and conquer. The values, and the leaves of divide and conquer, have
// algorithms of high relative accuracy: dqds, and QR.
//
// Vectors are rows here until the end, and the matrix that is reduced is Aᵀ: so reflections and
// rotations work along rows.
//
// A routine has LAPACK's name without the d. It checks no argument.
package svd
