// Package gemm computes the matrix products of the pure backend in float64, with one set of loops
// around the micro-kernels of package kernel.
//
// # One loop, many products
//
// The loops compute C = alpha·A·B + beta·C for matrices in any storage. A source delivers blocks of A
// or B in the layout of the micro-kernel, and a sink stores tiles of C:
//
//   - sources: a dense matrix or its transpose, a symmetric matrix with one stored triangle, a
//     packed symmetric matrix, a matrix with rows scaled by a diagonal;
//   - sinks: a dense matrix, one triangle of a dense matrix, a packed upper triangle.
//
// Each routine chooses its sources and its sink. A source packs a block into micro-panels (pack.go). A
// sink that stores one triangle skips the tiles outside the triangle.
//
// Dtrsm and Dtrmm apply the diagonal blocks of the triangle in registers, and the blocks off the
// diagonal by products (trsm.go).
//
// # The five loops
//
// The loops follow Goto and van de Geijn, ACM TOMS 34(3), 2008, and BLIS, Van Zee and van de Geijn,
// ACM TOMS 41(3), 2015. A and B are exchanged, because C is row-major and tiles are wider than tall:
//
//	loop 5  ic: MC rows of C
//	loop 4    pc: up to KC terms of the sum    A[ic, pc], MC×KC, packed, in L3
//	loop 3      jc: up to NC columns of C      B[pc, jc], KC×NC, packed, in L2
//	loop 2        ir: MR rows                  a micro-panel of A, MR×KC, which stays in L1
//	loop 1          jr: the micro-kernel, these rows in tiles of MR×NR
//
// Threads pack A[ic, pc] together, and then take tasks (grid.go). An operand that stays in L2, or whose
// micro-panels are used only a few times each, is read in place. Products of order up to 128 on one
// thread go straight to loop 2 (small.go).
//
// # Rounding, NaN, reproducibility
//
// Element (i,j) of C is formed in the order
//
//	((beta·c + alpha·S_1) + alpha·S_2) + ...,   S_b = sum of a_ip·b_pj over p in block b, ascending
//
// where the sum has the fewest blocks b of at most KC = 256 terms, about equally long. S_b is one chain
// of fused multiply-adds from +0, and another fused multiply-add adds alpha·S_b; beta·c is rounded. If
// beta = 0, C is alpha·S_1 after the first block, with +0 for -0 in packed storage. Diagonal blocks of
// Dtrsm and Dtrmm have order 128. Within a block, an element is one chain (trsm.go); other
// blocks contribute through products. A diagonal between the factors scales the rows of B, with one
// rounding.
//
// Thus the order of operations depends on the shape alone. Results are bit-identical on every
// kernel, for any cache sizes and number of threads, except for NaN payloads. KC and the size of
// diagonal blocks are constants because results depend on them. MC and NC, which do not affect
// results, fit the caches. A term takes at most k+2 roundings, hence the bound
//
//	|computed - exact| <= gamma_{k+2}·(|alpha|·|A|·|B| + |beta|·|C|),   gamma_n = n·u/(1 - n·u)
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5).
//
// Zeros are multiplied like any other number, so NaN and Inf in A or B reach every element of C that
// depends on them. C is not read if beta = 0; A and B are not read if alpha = 0 or k = 0.
//
// # Arguments
//
// The methods of Engine take row-major matrices, and arguments in the order of the BLAS;
// blas.ConjTrans means blas.Trans. The routines check their arguments with package check; the
// methods of block.Ops do not. C must not overlap A or B.
package gemm
