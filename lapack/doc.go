// Package lapack factors, solves and inverts dense matrices: symmetric ones in packed storage, general
// and tall ones in gonum's dense storage. It works in blocks on a blskernel.Backend, at the speed of
// that backend's matrix product. Implementation is the package as gonum's lapack.Float64, for
// lapack64.Use.
//
// # Which one
//
// Solve rather than invert: X = A⁻¹B by SolveTo is cheaper than the inverse and a product, and its
// residual is smaller. Then:
//
//   - Cholesky, A = UᵀU, for a symmetric positive definite A: Gram matrices, I + DᵀD, anything with a
//     ridge on its diagonal. It takes half the work of LU, needs no pivoting and tests for
//     definiteness.
//   - LDLT, P A Pᵀ = UᵀDU, for a symmetric A that may be indefinite; as fast but for the search for
//     pivots. Inertia counts positive, negative and zero eigenvalues.
//   - LU, P A = L U, for every other square A.
//   - QR, A = Q R, for least squares and for bases of tall matrices. Its error grows with the condition
//     number of A; the error of the normal equations, AᵀA and Cholesky, grows with the square.
//   - LeastSquares, by QR with column pivoting, where columns of A may be dependent, or there are
//     fewer rows than columns: the solution of least norm.
//   - AppendRows updates the R of a QR factorization when rows arrive; MergeTriangles combines two.
//
// RCond estimates the reciprocal condition number. A solution has a relative error of about eps/RCond.
// A solution or an inverse comes with a *ConditionError where RCond is near eps (see Errors): then no
// digit need be right. Refine improves a solution by one step and bounds its errors, column by column.
// LogDet is the determinant, as log|det A| and a sign.
//
// # Storage
//
// A symmetric matrix is a mat.SymPacked: its upper triangle, row after row, in n(n+1)/2 numbers, half
// of what LAPACK's fast routines need. On the pure backend kernels read and write the packed rows in
// place; for another backend blocks of them pass through a dense workspace. Dense matrices are
// row-major, may be views of larger ones, and are never transposed: SolveRowsTo and SolveTriangularRows
// take every row as a right-hand side.
//
// # In place
//
// Factorize works on a copy. FactorizeInPlace works in the storage of its argument, which belongs to
// the receiver from then on: do not use the argument any more. NaN and infinities of the input are
// found before anything is written; after every other error the contents of the argument are
// undefined. The workspace is O(n) times a block size at most.
//
// # Solving
//
// In SolveTo and its variants dst may be b. An empty dst gets its size. The error matches ErrNotFinite
// if b holds NaN or an infinity; dst is then unchanged but for its size. It matches ErrOverflow if X
// overflows; dst then holds what was computed, with NaN where an infinity met a zero. SolveRowsTo takes
// the rows in panels of 1024. The methods panic with mat.ErrShape if the shapes do not fit, and with a
// constant text if dst overlaps b in part or the receiver is empty.
//
// # Factors
//
// UTo, LTo and DTo copy a factor, in O(n²) time. An empty dst gets its size. They panic with
// mat.ErrShape or mat.ErrTriangle if dst has another order or triangle. Pivots, RowPivots and
// ColumnPivots write a permutation to dst, or to new storage for nil, and panic with a constant text
// for another length. All panic if the receiver is empty.
//
// # Inverses
//
// InverseTo keeps the factorization; an empty dst gets its size. The error matches ErrOverflow if the
// inverse overflows; dst then holds infinities, and NaN where an infinity met a zero. (For ‖A‖ below
// 2⁻¹⁰⁰⁰ there is no such NaN: a multiple of A is inverted and scaled.) RCond, not an overflow, tells
// whether A is singular. A *ConditionError comes with the inverse; it has the exact ‖A⁻¹‖₁ of the
// result, not an estimate. InverseTo panics with mat.ErrShape if dst has another size, and if the
// receiver is empty. InverseInPlace returns the inverse in the storage of the factorization and
// empties the receiver, also when it returns an error.
//
// # Cost
//
// Flops count multiplications and additions, without lower orders; c is the number of right-hand sides.
// A blsupdate.Counter sees a routine under the name in this table.
//
//	            factorize          solve             inverse (after it)  RCond
//	Cholesky    n³/3   Dpptrf      2n²c  Dpptrs      2n³/3  Dpptri       Dppcon
//	LDLT        n³/3   Dsptrf      2n²c  Dsptrs      2n³/3  Dsptri       Dspcon
//	LU          2n³/3  Dgetrf      2n²c  Dgetrs      4n³/3  Dgetri       Dgecon
//	QR (l×k)    2k²l - 2k³/3       4lkc - 2k²c       Q: as factorize     Dtrcon
//	            Dgeqrf             Dormqr and        Dorgqr
//	                               k²c   Dtrtrs
//	LeastSquares as QR, half of it in passes over A; with rank r < k 2r²(k - r/3) more
//	            Dgeqp3             4lrc + 4krc       Dgelsy              Dtrcon
//	q rows more 2qk²     Dtpqrt    4qkc, by the same call: AppendRows
//	two R       2k³/3    Dttqrt    2k²c, by the same call: MergeTriangles
//	triangles   inverse n³/3  Dtrtri   solve n²c  Dtrtrs, and Dtptrs with the U of a Cholesky;
//	            U times or U⁻ᵀ times a triangle n³/3  Dttrmm, Dttrsm
//
// Refine takes 10n²c and some five solves (Dpprfs, Dsprfs, Dgerfs). The first solve takes RCond too,
// some five solves with one right-hand side, unless MaxCondition is +Inf.
//
// # Accuracy
//
// With u = 2⁻⁵³ and c a modest constant times n, in norms. H is Higham, Accuracy and Stability of
// Numerical Algorithms, second edition, SIAM 2002. The tests hold the residuals to c = 30 n (l for QR).
//
//	Cholesky  ‖A - UᵀU‖ <= c u ‖A‖                        H theorem 10.3
//	          ‖B - A X‖ <= c u ‖A‖ ‖X‖                    H theorem 10.4
//	LDLT      ‖PAPᵀ - UᵀDU‖, ‖B - A X‖/‖X‖ <= c rho u ‖A‖ as H theorems 11.3 and 11.4
//	LU        ‖PA - LU‖, ‖B - A X‖/‖X‖ <= c rho u ‖A‖     H theorems 9.3 and 9.5
//	inverses  ‖I - A X‖ <= c u ‖A‖ ‖X‖                    H section 14.3; measured
//	          (LU: ‖I - X A‖, but where OpenBLAS factors it, which factors Aᵀ;
//	          Cholesky: in the Frobenius norm)
//	QR        ‖A - QR‖ <= c u ‖A‖, ‖I - QᵀQ‖ <= c u       H theorem 19.4
//	          least squares: X is exact for A + E, ‖E‖ <= c u ‖A‖  H theorem 20.3
//	          AppendRows, MergeTriangles: a column of [R z; B Y] - Q [R' z'; 0 Y'] is
//	          below c u times the same column of [R z; B Y]        H lemma 19.3
//	LeastSquares   X is the solution of least norm for A + E of rank r, ‖E‖ <= c u ‖A‖ + ‖R22‖,
//	          where R22 is what Tolerance takes for zero           Golub and Van Loan, 5.5
//	RCond     at least the true value, but for rounding   H section 15.3
//
// rho is the growth factor of the elimination. It can be as large as 2ⁿ⁻¹ for LU and 2.57ⁿ⁻¹ for
// LDLT, and is seldom above 100. LU.Growth returns it for LU; above 10⁵ LU refines its solutions. The
// bound for the LDLT inverse also needs a bounded U, which is why LDLT uses rook pivoting (H section
// 11.1.3). The bounds for LDLT hold in norms only, while the theorems hold element by element: updates
// with a 2×2 block of D go through its eigenvectors.
//
// Scaling by powers of two changes no digit unless it overflows or underflows. Subnormal numbers lose
// accuracy.
//
// # Errors
//
// A failure that data can cause is an error, which says what happened, where, and what to do. It is a
// *PivotError or an *ElementError, and matches ErrSingular, ErrNotPositiveDefinite, ErrNotFinite or
// ErrOverflow by errors.Is. A failed factorization leaves its receiver empty. An order of zero is legal
// everywhere.
//
// An exactly zero pivot is a failure; a matrix that is singular to working precision is not. Above a
// condition number of 1e16, or the MaxCondition of the type, solves and inverses return the result
// and a *ConditionError, where gonum returns a mat.Condition. Functions of triangles and of the
// halves of a Cholesky factor do not. errors.As finds a mat.Condition in a *ConditionError, and +Inf
// in a *PivotError for a zero pivot:
//
//	var condition gonummat.Condition
//	if err := f.SolveTo(&x, b); errors.As(err, &condition) { ... }
//
// A *GrowthError comes with a result too: see LU.
//
// A mistake of the caller is a panic. For shapes its value is from gonum's mat, so that mat.Maybe of
// gonum returns it as an error. It is mat.ErrSquare where a matrix has to be square (LU,
// InvertTriangle, RCondTriangle), mat.ErrSliceLengthMismatch for the vector of a Solver, and
// mat.ErrShape elsewhere. A result that overlaps an operand in part and a method of an empty
// receiver panic with a constant text, as in gonum. So do the routines of Implementation, with the
// texts of gonum's lapack.
package lapack
