// Package blas12 is Levels 1 and 2 of the BLAS on the loops of one kernel.
//
//	Dcopy Dswap Idamax            y = x, x and y exchanged, where |x[i]| is largest
//	Ddot Dnrm2 Dasum              x·y, |x|, the sum of |x[i]|
//	Daxpy Dscal                   y += alpha·x, x *= alpha
//	Drot Drotg Drotm Drotmg       plane rotations
//	Dgemv Dgbmv                   y = alpha·op(A)·x + beta·y, A full or a band
//	Dsymv Dspmv Dsbmv             y = alpha·A·x + beta·y, A symmetric: full, packed, a band
//	Dtrmv Dtpmv Dtbmv             x = op(A)·x, A triangular
//	Dtrsv Dtpsv Dtbsv             x = op(A)⁻¹·x
//	Dger                          A += alpha·x·yᵀ
//	Dsyr Dspr Dsyr2 Dspr2         A += alpha·x·xᵀ, A += alpha·(x·yᵀ + y·xᵀ), A symmetric
//
// A triangle is its rows, of which each begins somewhere and has a length (oneTriangle): so full,
// packed and band storage are one case.
//
// # Conventions
//
// Arguments, checks, their order and the panic texts are gonum's; matrices are row-major. No size is so
// large that a check overflows, and an illegal flag of Drotm panics.
//
//   - beta = 0 overwrites y: NaN in y does not matter. So does alpha = 0 in Dscal.
//   - alpha = 0 leaves beta·y and does not read A and x. Daxpy, Dger, Dsyr, Dspr, Dsyr2 and Dspr2 then
//     do nothing, as in the reference BLAS.
//   - The result must not overlap an operand.
//
// # NaN and infinities
//
//   - No other zero is special: each product of the equation is formed, and 0·NaN and 0·Inf reach the
//     result. The reference BLAS skips zeros of x (in Dger y) in Dger, Dsyr, Dspr, Dsyr2 and Dspr2, and
//     in triangular products and solutions without transposition; gonum skips them in Dsyr.
//   - Only stored elements are elements: the zeros outside a triangle or a band and the ones of a unit
//     diagonal multiply nothing, and are not read.
//   - A zero on the diagonal of a triangular system is not looked for: x/0 is an infinity, 0/0 is NaN.
//   - A sum beyond the largest number is an infinity, and NaN where one of the other sign is added.
//     Only Dnrm2 cannot overflow before its result does.
//   - Dnrm2 and Dasum return NaN if an element is NaN, otherwise +Inf if one is infinite. Idamax never
//     finds a NaN larger, and returns 0 if the first element is one.
//   - Drotg returns r = NaN if a or b is NaN, otherwise an infinite r if one is infinite. With an
//     infinity and a number other than zero, c or s is NaN. Drotmg computes with them as with numbers.
//
// Which NaN it is, its sign and payload, is undefined. Which elements are NaN is the same on every
// kernel.
//
// # The same bits
//
// Results depend on the arguments alone: not on addresses, goroutines, the kernel or the machine, as
// long as it has a fused multiply-add. Sums are the kernel's, which have one shape, or loops in Go,
// which round each product; lengths and constants alone decide between the two. Only the result of
// Daxpy depends on increments. Methods with sums state a bound with γ_k = ku/(1-ku), u = 2⁻⁵³.
//
// # Goroutines and memory
//
// With a Share, several goroutines share the rows of A·x and of A + x·yᵀ if A is large. In Aᵀ·x, and in
// A·x with one triangle of A, each row contributes to the whole result. The shape then decides how rows
// are cut into pieces, and one goroutine adds their contributions in order. Triangular products and
// solutions, bands and vectors stay on the caller's goroutine.
//
// Once buffers exist, a call on fewer than 80,000 elements of a matrix, or without a Share, does not
// allocate. Loops run along rows with increment 1: a vector along the rows with another increment is
// copied to a buffer. Contributions of pieces take at most 16 vectors.
//
// # What limits them
//
// No routine uses an element of its largest operand more than twice, so memory limits them. Bytes for
// each flop between registers and cache, and from the memory level of the operands:
//
//	             registers                           memory
//	Dot          8      (two loads, 2 flops)         8
//	Axpy        12      (two loads, a store)        12
//	Scal        16      (a load, a store, 1 flop)   16
//	GemvN        5 or 5.3  (4 or 3 rows share x)     4     A alone, if the vectors stay in L1
//	GemvT        5      (8 rows share y)             4     A alone
//	Ger          9      (4 rows share y; 12 singly)  8     A in and out
//	Dotxaxpyf    3.5    (4 rows share x and y)       2     a triangle of A, each element for both
//
// With one row at a time, GemvN would move 8 and GemvT 12. docs/performance.md has the measured rates.
// Prefetching rows of GemvN gained nothing at any size.
package blas12
