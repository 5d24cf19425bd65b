// Package eigensym computes eigenvalues and eigenvectors of symmetric matrices. Reflections make A =
// Q T Qᵀ with T tridiagonal. Divide and conquer makes T = S Λ Sᵀ; its leaves, and values alone, take
// the implicit QL algorithm. The eigenvectors, columns of Q S, are rows until the last step.
//
// A routine has LAPACK's name without the d. It checks no argument.
package eigensym
