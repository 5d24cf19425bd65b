// Package svd computes singular value decompositions: reflections give A = Q B Pᵀ with B bidiagonal,
// and divide and conquer gives B = U Σ Vᵀ. Algorithms of high relative accuracy compute the values
// (dqds) and the leaves of divide and conquer (QR).
//
// Until the last step, vectors are stored as rows and A as Aᵀ, so that transformations run along rows.
package svd
