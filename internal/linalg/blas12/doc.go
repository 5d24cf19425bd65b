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
// A triangle is a list of rows with a start and a length (oneTriangle), in every storage.
//
// # Conventions
//
// Arguments, checks, their order and the panic texts are gonum's; matrices are row-major. No size is so
// large that a check overflows, and an illegal flag of Drotm panics.
//
//   - beta = 0 overwrites y: NaN in y does not matter. So does alpha = 0 in Dscal.
//   - alpha = 0 leaves beta·y and does not read A and x, as in the reference BLAS.
//   - The result must not overlap an operand.
//
// # NaN and infinities
//
// docs/numerics.md has the rules for each routine.
//
//   - No other zero is special: each product of the equation is formed, and 0·NaN and 0·Inf reach the
//     result. The reference BLAS and gonum skip zeros of x in some routines.
//   - Only stored elements are elements: the zeros outside a triangle or a band and the ones of a unit
//     diagonal multiply nothing, and are not read.
//   - A zero on the diagonal of a triangular system is not checked: x/0 is an infinity, 0/0 is NaN.
//   - Drotg with an infinity and a number other than zero returns NaN as c or s. Drotmg computes with
//     infinities as with numbers.
//
// # The same bits
//
// Results depend on the arguments alone (docs/reproducibility.md). Sums are the kernel's, which have
// one shape, or loops in Go, which round each product; lengths and constants alone decide between the
// two. Only the result of Daxpy depends on increments. Methods with sums state a bound with γ_k =
// ku/(1-ku), u = 2⁻⁵³.
//
// # Goroutines and memory
//
// With a Share, several goroutines share the rows of a large A. In Aᵀ·x, and in A·x with one triangle
// of A, each row contributes to the whole result. The shape then decides how rows are cut into pieces,
// and one goroutine adds their contributions in order. Triangular products and solutions, bands and
// vectors stay on the caller's goroutine.
//
// Once buffers exist, a call on fewer than 30,000 elements of a matrix does not allocate. A vector
// along the rows with an increment other than 1 is copied to a buffer.
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
// docs/performance.md has the measured rates.
package blas12
