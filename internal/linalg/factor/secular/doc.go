// Package secular merges the halves of divide and conquer algorithms for eigenvalues and singular
// values. It finds the eigenvalues and eigenvectors of a diagonal matrix plus a matrix of rank 1.
//
// The eigenvalues are the roots of the secular equation, one between any two neighboring poles and one
// beyond the last. A root is stored as its distance from the nearest pole, which stays accurate where a
// difference of rounded numbers would not. The eigenvectors belong to a nearby matrix whose exact
// eigenvalues are the computed roots, so they are orthogonal to working precision without extended
// precision (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15 (1994) 1266-1276 and 16 (1995) 172-191).
package secular
