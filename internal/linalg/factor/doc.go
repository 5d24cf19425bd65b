// Package factor has the common parts of the factorizations: a backend with its products of blocks,
// triangles, exchanges of rows and columns, plane rotations, norms, scaling, checks of elements, and a
// workspace. Each factorization has a folder of its own:
//
//	cholesky   potrf, potrs, potri
//	ldlt       sytrf with rook pivoting, sytrs, sytri
//	lu         getrf, getrs, getri
//	qr         geqrf, gelqf, orgqr, ormqr, gels; tpqrt: rows added to R
//	condition  con: reciprocal condition numbers; gerfs: refinement, bounds of errors
//	svd        singular values and vectors
//	eigensym   eigenvalues and eigenvectors of symmetric matrices
//	eigen      eigenvalues and eigenvectors of general matrices
//	secular    the merge step of divide and conquer, for svd and eigensym
//
// A routine has LAPACK's name without the d, and with its relatives a file of its own. Each stands
// once, on blocks of dense or packed storage, and checks no argument. Dense operands go to the
// backend's BLAS for the most part, packed ones to its block.Products.
package factor
