// Package gemm is the macro-kernel: all matrix products of the pure backend, float64, as one set of
// loops around the micro-kernels of package kernel.
//
// # One loop, many products
//
// The loops compute C = alpha·A·B + beta·C without ever seeing a matrix. They ask a source for a block of
// A or of B as the micro-kernel reads it, and a sink where a strip of C belongs:
//
//   - sources: a dense matrix or its transpose, a symmetric matrix of which one triangle is stored,
//     a packed symmetric matrix, rows scaled by a diagonal (source.go);
//   - sinks: a dense matrix, one triangle of a dense matrix, a packed upper triangle (sink.go).
//
// Each routine (Dgemm, Dsyrk, Dsymm, Dspmm, ...) only names its sources and its sink. Where a copy pays, or
// is needed because elements do not lie as the kernel wants them, a source packs the block into
// micro-panels; a dense A, and a B that stays in cache, are read in place. A sink that keeps one triangle
// costs half, because tiles beside it are not computed.
//
// The triangular routines (Dtrsm, Dtrmm) go through the blocks on the diagonal of the triangle (sweep.go): each
// is applied to its rows of B by kernels that hold a strip in registers (triangle.go), and what it does to
// the other rows is a product again.
//
// # The five loops
//
// They are those of Goto and van de Geijn ("Anatomy of high-performance matrix multiplication", ACM
// TOMS 34(3), 2008) as arranged in BLIS (Van Zee and van de Geijn, ACM TOMS 41(3), 2015), with the
// parts of A and B exchanged because C is row-major and tiles are wider than high:
//
//	loop 5  jc: up to NC columns of C
//	loop 4    pc: up to KC steps of k       B[pc, jc], KC×NC, which stays in L2
//	loop 3      ic: MC rows of C            A[ic, pc], MC×KC, where it is packed
//	loop 2        ir: a strip of MR rows    a micro-panel of A, MR×KC, stays in L1
//	loop 1          the micro-kernel: the strip in tiles of MR×NR, KC steps each
//
// Loop 5 and the rows of loop 3 are also cut into the tasks that threads share (threads.go). Products of order
// up to 128 go straight to loop 2 (little.go).
//
// # Rounding, NaN, reproducibility
//
// Element (i,j) of C is formed in the order
//
//	((beta·c + alpha·S_1) + alpha·S_2) + ...,   S_b = sum over p in block b of a_ip·b_pj, p ascending
//
// with as few blocks of at most KC steps as possible, all of about the same length. Whether a product and the
// addition after it are one rounding or two is the kernel's. The order depends on the shape of the
// product, the kernel and KC, not on the number of threads, the partition of C or where in a tile the element
// lies; results are bit-identical for any number of threads. Such a sum has at most k+2
// roundings on the way of each term, hence the bound by which the tests judge,
//
//	|computed - exact| <= gamma_{k+2}·(|alpha|·|A|·|B| + |beta|·|C|),   gamma_n = n·u/(1 - n·u)
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5).
//
// Zeros are multiplied like any other number, so a NaN or Inf in A or B reaches every element of C
// that depends on it. C is not read if beta = 0, and A and B are not read if alpha = 0 or k = 0.
//
// # Arguments
//
// The methods of Engine have the argument order and meaning of the BLAS, row-major. blas.ConjTrans is
// blas.Trans. They do not check their arguments: that is the caller's part, without which kernels would read
// and write beside them, as is that C does not overlap A or B. Elements between the rows of a matrix (ld
// greater than its width) are neither read nor written.
package gemm
