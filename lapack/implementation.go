package lapack

import (
	"slices"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/internal/linalg/factor/lu"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Implementation implements gonum's lapack.Float64, for lapack64 and all parts of gonum built on it:
//
//	blas64.Use(blskernel.Default())
//	lapack64.Use(lapack.Implementation{})
//
// The routines of this package are
//
//	Dpotrf, Dpotri, Dpotrs          Cholesky: factor, inverse, solve
//	Dgetrf, Dgetri, Dgetrs          LU with partial pivoting: factors, inverse, solve
//	Dtrtri, Dtrtrs                  triangles: inverse, solve
//	Dgeqrf, Dorgqr, Dormqr          QR: factors, Q from its reflections, products with Q
//	Dgeqp3                          QR with column pivoting
//	Dgelqf, Dorglq, Dormlq          LQ: the same
//	Dgels                           least squares
//	Dpocon, Dgecon, Dtrcon          condition numbers: of Cholesky, LU, and triangles
//	Dgeev                           eigenvalues and eigenvectors of general matrices
//	Dgesvd                          singular values and vectors
//	Dsyev                           eigenvalues and eigenvectors of symmetric matrices
//
// Arguments, results and panics are as for gonum's routines. The routines run on Backend regardless of
// blas64. Small matrices go to gonum's own routines on blas64, which are faster for them. Small means
// an order below 14 to 128, depending on the routine. For QR and LQ it means few reflections, or fewer
// than 2500 to 10,000 elements. Dgesvd passes a small A to gonum only if it holds no NaN and its
// largest |element| is between 2⁻⁴⁰⁰ and 2⁴⁰⁰. Dsyev and Dgeev use plain loops for n < 32. All other
// routines are gonum's.
//
// Rounding differs from gonum's. Dpotrf treats an infinite pivot as not positive, and Dgetri asks for a
// workspace of a different length. Dgecon and Dpocon treat NaN in the factors as a singular matrix.
// Dgetrf allocates at most 48(m+23) numbers. The QR, LQ and least squares routines allocate at
// most 64(3m+2n+16) + n numbers, where m is the larger dimension and n the smaller; Dgels 64·nrhs more.
//
// A routine with a parameter work requires lwork to be at least the length that its comment states. It
// uses its own workspace unless the comment says otherwise. If lwork is -1, it only sets work[0].
//
// Methods may be called from several goroutines at once. The zero value is ready for use.
type Implementation struct {
	gonum.Implementation

	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

var _ gonumlapack.Float64 = Implementation{}

// Below these orders gonum's routines are faster, as measured with blas64 on the same pure backend.
const (
	minPotrfUpper = 40
	minPotrfLower = 128
	minGetrf      = 96
	minInverse    = 14 // Dpotri, Dgetri and Dtrtri
	minGesvd      = 20 // min(m, n); gonum's routine needs more than one row of Vᵀ
)

// The methods below pass invalid arguments on to gonum's routine, which panics.

// unwritten calls routine with a copy of work and copies the result back: some of gonum's routines
// write to work before they have checked all arguments. If routine panics, work is unchanged.
func unwritten(work []float64, routine func(work []float64)) {
	x := slices.Clone(work)
	routine(x)
	copy(work, x)
}

// holds reports whether m > 0 and x has room for an m×n matrix with rows ldx apart.
func holds(x []float64, m, n, ldx int) bool {
	return m > 0 && ldx >= max(1, n) && len(x) >= n && m-1 <= (len(x)-n)/ldx
}

func isUplo(ul blas.Uplo) bool { return ul == blas.Upper || ul == blas.Lower }

func isDiag(diag blas.Diag) bool { return diag == blas.NonUnit || diag == blas.Unit }

// isTranspose returns t, with blas.Trans in place of blas.ConjTrans, and reports whether t is valid.
func isTranspose(t blas.Transpose) (blas.Transpose, bool) {
	if t == blas.ConjTrans {
		t = blas.Trans
	}
	return t, t == blas.NoTrans || t == blas.Trans
}

func singular(diag blas.Diag, n int, a []float64, lda int) bool {
	for i := 0; diag != blas.Unit && i < n; i++ {
		if a[i*lda+i] == 0 {
			return true
		}
	}
	return false
}

// Dpotrf overwrites the triangle ul of the symmetric n×n matrix A with its Cholesky factor, A = UᵀU or
// A = L Lᵀ, in n³/3 flops. It does not touch the other triangle. It returns false if A is not positive
// definite to working precision, or a pivot is not finite; the factor is then incomplete.
func (impl Implementation) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	small := ul == blas.Upper && n < minPotrfUpper || ul == blas.Lower && n < minPotrfLower
	if small || !isUplo(ul) || !holds(a, n, n, lda) {
		return impl.Implementation.Dpotrf(ul, n, a, lda) && lu.BadPivot(n, block.Dense(a, lda)) == nil
	}
	bk := announce(impl.Backend, "Dpotrf", n, n, 0)
	return cholesky.Potrf(bk, ul, factor.Base, n, block.Dense(a, lda)) < 0
}

// Dpotri overwrites the factor that Dpotrf left in the triangle ul with the same triangle of A⁻¹, in
// 2n³/3 flops. It does not touch the other triangle. It returns false, and leaves a unchanged, if the
// factor has a zero on its diagonal.
func (impl Implementation) Dpotri(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n < minInverse || !isUplo(ul) || !holds(a, n, n, lda) {
		return impl.Implementation.Dpotri(ul, n, a, lda)
	}
	if singular(blas.NonUnit, n, a, lda) {
		return false
	}
	bk := announce(impl.Backend, "Dpotri", n, n, 0)
	cholesky.Potri(bk, ul, factor.Base, n, block.Dense(a, lda))
	return true
}

// Dpotrs overwrites the n×nrhs matrix B with the solution X of A X = B, in 2n²·nrhs flops. The triangle
// ul of a holds the factor that Dpotrf left.
func (impl Implementation) Dpotrs(ul blas.Uplo, n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	if nrhs <= 0 || !isUplo(ul) || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) {
		impl.Implementation.Dpotrs(ul, n, nrhs, a, lda, b, ldb)
		return
	}
	bk := announce(impl.Backend, "Dpotrs", n, n, nrhs)
	cholesky.Potrs(bk, blas.Left, ul, n, nrhs, block.Dense(a, lda), block.Dense(b, ldb))
}

// Dgetrf overwrites the m×n matrix A = P L U with U on and above the diagonal and, below it, L without
// its diagonal of ones. Row i was exchanged with row ipiv[i], counted from 0, for i = 0, 1, ..., k-1,
// where k = min(m, n). Dgetrf takes 2n³/3 flops for m = n, and allocates at most 48(m+23) numbers. It
// returns false if U has a zero on its diagonal; the factorization is still complete.
func (impl Implementation) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	if min(m, n) < minGetrf || !holds(a, m, n, lda) || len(ipiv) != min(m, n) {
		return impl.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	bk := announce(impl.Backend, "Dgetrf", m, n, 0)
	lu.Getrf(bk, lu.GetrfBase, m, n, block.Dense(a, lda), ipiv)
	return !singular(blas.NonUnit, min(m, n), a, lda)
}

// Dgetri overwrites Dgetrf's factors of an n×n matrix A with A⁻¹, in 4n³/3 flops. It returns false, and
// leaves a unchanged, if U has a zero on its diagonal.
//
// work, of at least max(1, n) elements, is the workspace; on return work[0] is its optimal length.
func (impl Implementation) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) (ok bool) {
	best := float64(max(1, n*min(n, lu.InverseColumns)))
	if lwork == -1 && n >= 0 && lda >= max(1, n) && len(work) > 0 {
		work[0] = best
		return true
	}
	if n < minInverse || lwork < n || len(work) < lwork || !holds(a, n, n, lda) || len(ipiv) != n {
		return impl.Implementation.Dgetri(n, a, lda, ipiv, work, lwork)
	}
	if singular(blas.NonUnit, n, a, lda) {
		return false
	}
	bk := announce(impl.Backend, "Dgetri", n, n, 0)
	lu.Getri(bk, min(lu.InverseColumns, n, lwork/n), n, block.Dense(a, lda), ipiv, work)
	work[0] = best
	return true
}

// Dgetrs overwrites the n×nrhs matrix B with the solution X of op(A) X = B, in 2n²·nrhs flops. a and
// ipiv hold Dgetrf's factors of the n×n matrix A. op(A) is A if t is blas.NoTrans and Aᵀ otherwise.
func (impl Implementation) Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int, b []float64, ldb int) {
	op, ok := isTranspose(t)
	if !ok || nrhs <= 0 || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) || len(ipiv) != n {
		impl.Implementation.Dgetrs(t, n, nrhs, a, lda, ipiv, b, ldb)
		return
	}
	bk := announce(impl.Backend, "Dgetrs", n, n, nrhs)
	lu.Getrs(bk, blas.Left, op, n, nrhs, block.Dense(a, lda), ipiv, false, true, block.Dense(b, ldb))
}

// Dtrtri overwrites the n×n triangular matrix T in the triangle ul of a with T⁻¹, in n³/3 flops. It
// does not touch the other triangle, nor the diagonal if diag is blas.Unit. It returns false, and
// leaves a unchanged, if T has a zero on its diagonal.
func (impl Implementation) Dtrtri(ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) (ok bool) {
	if n < minInverse || !isUplo(ul) || !isDiag(diag) || !holds(a, n, n, lda) {
		return impl.Implementation.Dtrtri(ul, diag, n, a, lda)
	}
	if singular(diag, n, a, lda) {
		return false
	}
	bk := announce(impl.Backend, "Dtrtri", n, n, 0)
	factor.Trtri(bk, ul, diag, n, block.Dense(a, lda))
	return true
}

// Dtrtrs overwrites the n×nrhs matrix B with op(T)⁻¹B, in n²·nrhs flops. T is the triangle ul of a,
// with ones on its diagonal if diag is blas.Unit; op is as in Dgetrs. It returns false, and leaves B
// unchanged, if T has a zero on its diagonal.
func (impl Implementation) Dtrtrs(ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, a []float64, lda int, b []float64, ldb int) (ok bool) {
	op, ok := isTranspose(t)
	if !ok || nrhs <= 0 || !isUplo(ul) || !isDiag(diag) || !holds(a, n, n, lda) || !holds(b, n, nrhs, ldb) {
		return impl.Implementation.Dtrtrs(ul, t, diag, n, nrhs, a, lda, b, ldb)
	}
	if singular(diag, n, a, lda) {
		return false
	}
	bk := announce(impl.Backend, "Dtrtrs", n, n, nrhs)
	factor.Trtrs(bk, blas.Left, ul, op, diag, n, nrhs, block.Dense(a, lda), block.Dense(b, ldb))
	return true
}
