// Package eigen computes eigenvalues and eigenvectors of general matrices: balancing, the
// Hessenberg form, the multishift QR algorithm with aggressive early deflation, and eigenvectors of
// quasi-triangles by blocks.
//
// A routine has LAPACK's name without the d. It checks no argument.
package eigen
