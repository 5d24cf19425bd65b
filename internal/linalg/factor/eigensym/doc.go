// Package eigensym computes eigenvalues and eigenvectors of symmetric matrices. Reflections give
// A = Q T Qᵀ with T tridiagonal. Divide and conquer gives T = S Λ Sᵀ; the implicit QL algorithm solves
// its leaves, and finds the eigenvalues if no vectors are wanted. The eigenvectors, columns of Q S, are
// stored as rows until the end.
package eigensym
