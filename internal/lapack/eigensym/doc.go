// Package eigensym computes eigenvalues and eigenvectors of symmetric matrices: A = Q T Qᵀ with T
// tridiagonal by reflections, and T = S Λ Sᵀ by the implicit QL algorithm, whose rotations go to
// package rotations. The eigenvectors, columns of Q S, are rows until the last step.
//
// A routine has LAPACK's name without the d. It checks no argument.
package eigensym
