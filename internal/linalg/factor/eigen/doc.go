// Package eigen computes eigenvalues and eigenvectors of general matrices. It balances a matrix,
// reduces it to Hessenberg form, and runs the multishift QR algorithm with aggressive early deflation.
// Then it solves for the eigenvectors of the quasi-triangular result by blocks.
package eigen
