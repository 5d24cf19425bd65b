// Package factor holds what the factorizations share: backends with operations on blocks, triangles,
// interchanges of rows and columns, and plane rotations. It also provides norms, scaling, checks for
// NaN and infinities, and a workspace. Each factorization has its own folder:
//
//	cholesky   potrf, potrs, potri
//	ldlt       sytrf with rook pivoting, sytrs, sytri
//	lu         getrf, getrs, getri
//	qr         geqrf, gelqf, orgqr, ormqr, geqp3, gels, gelsy; tpqrt: rows added to R
//	condition  con: reciprocal condition numbers; gerfs: refinement and error bounds
//	svd        singular values and vectors
//	eigensym   eigenvalues and eigenvectors of symmetric matrices
//	eigen      eigenvalues and eigenvectors of general matrices
//	secular    the merge step of divide and conquer, for svd and eigensym
//
// A routine has its LAPACK name without the d, and related routines share a file. Each routine is
// written once, for blocks in dense or packed storage, and does not check its arguments. Most dense
// operands go to the backend's BLAS, packed ones to its block.Ops.
package factor
