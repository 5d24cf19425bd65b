// Package secular solves what a divide and conquer algorithm for eigenvalues or singular values leaves
// of each merge: the eigenvalues and eigenvectors of a diagonal matrix plus one of rank 1.
//
// The eigenvalues are the roots of the secular equation, one between any two neighbouring poles, and
// are kept as their distances from the poles, which have all digits where a root and a pole have none
// apart. The vectors are those of the matrix, close to the given one, that has the computed roots as
// its exact eigenvalues, so that they are orthogonal to working precision without more digits (Gu and
// Eisenstat, SIAM J. Matrix Anal. Appl. 15 (1994) 1266-1276 and 16 (1995) 172-191).
package secular
