// Package eigen computes eigenvalues and eigenvectors of general matrices, by balancing, reduction to
// Hessenberg form, the multishift QR algorithm with aggressive early deflation, and blocked solves for
// the eigenvectors of quasi-triangular matrices.
//
// A routine has LAPACK's name without the d. It does not check its arguments.
package eigen
