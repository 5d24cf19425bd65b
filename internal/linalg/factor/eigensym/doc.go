// Package eigensym computes eigenvalues and eigenvectors of symmetric matrices: A = Q T Qᵀ with T
// tridiagonal by reflections, and T = S Λ Sᵀ by divide and conquer, or the implicit QL algorithm for
// its leaves and for values alone. The eigenvectors, columns of Q S, are rows until the last step.
//
// A routine has LAPACK's name without the d. It checks no argument.
package eigensym
