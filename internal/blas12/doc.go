// Package blas12 has the routines of Level 1 and 2 of the BLAS, vectors and a matrix with vectors, that
// are worth replacing in gonum's implementation, on the loops of one kernel of package kernel. It
// embeds that implementation: what is not here is gonum's, and so are triangles so small that its plain
// loops are as fast.
//
//	Ddot Daxpy Dscal             x·y, y += alpha·x, x *= alpha
//	Dgemv Dger                   y = alpha·op(A)·x + beta·y, A += alpha·x·yᵀ
//	Dsymv Dspmv Dsyr Dspr Dtrsv  the same with one triangle of A, full or packed, and a triangular system
//
// # Conventions
//
// Arguments, their checks with the order of these and the texts of the panics are gonum's. A distance
// between rows or an increment of which a multiple overflows, which gonum does not notice, is too large
// for its slice, and a flag of Drotm that there is not, which gonum ignores, is a panic too. Matrices
// are row-major. Element i of a vector of n with increment inc is x[i*inc], or x[(i-n+1)*inc] if inc <
// 0.
//
//   - beta = 0 overwrites: what was in y, NaN included, does not matter.
//   - alpha = 0 leaves only beta·y: A and x are not read, and their NaN does not reach y. Daxpy, Dger,
//     Dsyr and Dspr then do nothing at all. This is what the reference BLAS does.
//   - No other zero is special: an element that is zero is multiplied like any other, and 0·NaN and
//     0·Inf reach the result. (The reference BLAS and gonum leave out zeros of x in Dsyr; there the two
//     triangles of a result with NaN differ, here they do not.)
//   - What is written must not overlap what is read.
//
// Results do not depend on where operands lie in memory, nor on goroutines. They do depend on the
// kernel, and the order of a sum is not the same for increment 1 and for others. Methods with sums
// state a bound with γ_k = ku/(1-ku), u = 2⁻⁵³, that holds for each of them.
//
// Large matrices may be passed over by several goroutines, if New was given a Share: rows of A·x and of
// A + x·yᵀ by each. In Aᵀ·x, and in A·x with one triangle of A, a row contributes to all of the result:
// there the rows, if they are many, come in pieces that depend on the shape alone, and what these
// contribute is added up in their order, by one goroutine or several. Dtrsv, of which each row needs
// those before it, and vectors are the caller's.
//
// A call on fewer than 80,000 elements of a matrix does not allocate, nor does a larger one without a
// Share, but for the first few that need a buffer, which later calls use again, until garbage is
// collected. Loops run along rows with increment 1, so a vector along the rows with another increment
// is copied to a buffer; a vector down the columns, as x is in Dger, may have any increment at no cost.
// What pieces of rows contribute is in a buffer of at most 16 vectors.
//
// # What limits them
//
// Unlike products of matrices, none of these uses an element of its largest operand more than twice:
// the limit is the rate at which a level of the memory delivers it, and the work is to add nothing to
// that traffic. For each loop, the bytes that pass between registers and cache, and those that must
// come from the level where the operands are, for each flop:
//
//	             registers                           memory
//	Dot          8      (two loads, 2 flops)         8
//	Axpy        12      (two loads, a store)        12
//	Scal        16      (a load, a store, 1 flop)   16
//	GemvN        5 or 5.3  (4 or 3 rows share x)     4     A alone, if the vectors stay in the L1 cache
//	GemvT        5      (8 rows share y)             4     A alone
//	Ger          9      (4 rows share y)             8     A in and out
//	Symv         3.5    (4 rows share x and y)       2     one triangle of A, each element of it for both
//
// With one row at a time, GemvN would move 8 and GemvT 12. If the columns are at most four vectors, y
// does not leave the registers in GemvT at all.
//
// A Zen 4 core loads 64 bytes in a cycle from its L1 cache (two vectors of 256 bits or one of 512) and
// stores 32, and gets 32 in a cycle from L2. At 3.67 GHz (the FMA peak divided by 16) that makes, in
// GFLOP/s, and this was measured (medians, one core of the EPYC of docs/performance.md, kernel avx512,
// time of the call included):
//
//	                         limit   by            measured
//	Dot     n = 1000          29.4   L1 loads      24.6
//	Dot     n = 4000          14.7   L2            14.4
//	Axpy    n = 1000          29.4   L1 stores     24.8   (loads: 29.4 too)
//	Axpy    n = 4000           -     L2 and back   14.2
//	Dscal   n = 1000          14.7   L1 stores     13.7
//	Dgemv N n = 64            47     L1 loads      38.4   (the matrix fills the L1 cache)
//	Dgemv N n = 256           29.4   L2            28.2
//	Dgemv T n = 256           29.4   L2            27.9
//	Dger    n = 256            -     L2 and back   26.9
//	Dgemv N n = 1000           -     L3            20.2   (81 GB/s)
//	Dgemv T n = 1000           -     L3            21.6   (87 GB/s)
//	Dgemv N n = 4000           -     DRAM           6.6   (26 GB/s)
//	Dgemv T n = 4000           -     DRAM           6.8   (27 GB/s)
//	Dger    n = 4000           -     DRAM           5.7   (46 GB/s, both ways)
//
// Prefetching the rows of GemvN by hand, 0.5 to 2 KB ahead, gained nothing at any size: the hardware
// does it.
package blas12
