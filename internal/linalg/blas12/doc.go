// Package blas12 implements Levels 1 and 2 of the BLAS with the loops of one kernel.
//
//	Dcopy Dswap Idamax            y = x, exchange of x and y, index of the largest |x[i]|
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
// In any storage, a triangle is a list of rows, each with a start and a length (oneTriangle).
//
// # Conventions
//
// Arguments, checks, the order of checks and the panic texts are gonum's; matrices are row-major. No
// check overflows. Drotm panics for an illegal flag, unlike gonum's.
//
//   - beta = 0 overwrites y even where it is NaN; in Dscal, alpha = 0 overwrites x likewise.
//   - With alpha = 0 the result is beta·y, and A and x are not read, as in the reference BLAS.
//   - The result must not overlap an operand.
//
// # NaN and infinities
//
// docs/numerics.md has the rules for each routine.
//
//   - No other zero is special: each product of the equation is formed, and 0·NaN and 0·Inf reach
//     the result. The reference BLAS and gonum skip zeros of x in some routines.
//   - Only stored elements count: the zeros outside a triangle or a band and the ones of a unit
//     diagonal are neither read nor multiplied.
//   - Triangular solves do not check for zeros on the diagonal: x/0 is an infinity, 0/0 is NaN.
//   - Drotg of an infinity and a nonzero number returns NaN as c or s. Drotmg treats infinities like
//     other numbers.
//
// # The same bits
//
// Results depend on the arguments alone (docs/reproducibility.md). Sums are computed by the kernel,
// in one fixed order, or by loops in Go, which round each product; only lengths and constants decide
// between the two. Only the results of Daxpy depend on increments. Methods with sums state a bound
// in terms of γ_k = ku/(1-ku), u = 2⁻⁵³.
//
// # Goroutines and memory
//
// With a Share, several goroutines share the rows of a large A, or its columns in Aᵀ·x with few rows.
// If each row contributes to the whole result, as in Aᵀ·x and in A·x for a symmetric A, the shape
// decides how rows are cut into pieces. One goroutine adds the contributions of the pieces in order.
// Triangular products and solves, bands and vectors stay on the caller's goroutine.
//
// Once buffers exist, a call on a matrix below 30,000 elements does not allocate. A vector
// along the rows is copied to a buffer unless its increment is 1.
//
// # What limits the speed
//
// No routine uses an element of its largest operand more than twice, so memory limits the speed. These
// are the bytes per flop between registers and cache, and from memory:
//
//	             registers                           memory
//	Dot          8      (two loads, 2 flops)         8
//	Axpy        12      (two loads, a store)        12
//	Scal        16      (a load, a store, 1 flop)   16
//	GemvN        5 or 5.3  (4 or 3 rows share x)     4     A alone, if the vectors stay in L1
//	GemvT        5      (8 rows share y)             4     A alone
//	Ger          9      (4 rows share y; 12 singly)  8     A in and out
//	Dotxaxpyf    3.5    (4 rows share x and y)       2     a triangle of A, each element used twice
//
// docs/performance.md has the measured rates.
package blas12
