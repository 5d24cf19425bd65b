package lapack

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor/eigen"
	"blskernel/internal/linalg/factor/eigensym"
	"blskernel/internal/linalg/factor/svd"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// Dgeev computes the eigenvalues wr + i·wi of the n×n matrix A, which it overwrites. If jobvl and jobvr
// ask for them, it writes the left eigenvectors u, u^H A = λ u^H, to the columns of the n×n vl, and the
// right eigenvectors v, A v = λ v, to the columns of the n×n vr. All have norm 1. In a complex pair the
// eigenvalue with the positive imaginary part comes first. The first column holds the real part of the
// vector for that eigenvalue, the second the imaginary part; the largest component is real. Dgeev takes
// about 25n³ flops with left or right vectors, 10n³ without, and a workspace of about n² numbers, 2n²
// with left vectors. work has at least max(1, 4n) elements, or max(1, 3n) without vectors.
//
// It returns 0 on success. Otherwise it computes no vectors and returns the index after the last
// eigenvalue that did not converge, or n if A holds NaN or an infinity.
func (impl Implementation) Dgeev(jobvl gonumlapack.LeftEVJob, jobvr gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi []float64, vl []float64, ldvl int, vr []float64, ldvr int, work []float64, lwork int) (first int) {
	left, right := jobvl == gonumlapack.LeftEVCompute, jobvr == gonumlapack.RightEVCompute
	least := max(1, 3*n)
	if left || right {
		least = max(1, 4*n)
	}
	good := (left || jobvl == gonumlapack.LeftEVNone) && (right || jobvr == gonumlapack.RightEVNone) &&
		n > 0 && lda >= n && ldvl >= 1 && ldvr >= 1 && (!left || ldvl >= n) && (!right || ldvr >= n)
	if good && lwork == -1 && len(work) > 0 && holds(a, n, n, lda) {
		work[0] = float64(least)
		return 0
	}
	if !good || lwork < least || len(work) < lwork || !holds(a, n, n, lda) || len(wr) != n || len(wi) != n ||
		left && !holds(vl, n, n, ldvl) || right && !holds(vr, n, n, ldvr) {
		unwritten(work, func(work []float64) {
			first = impl.Implementation.Dgeev(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork)
		})
		return first
	}
	bk := announce(impl.Backend, "Dgeev", n, n, 0)
	w := make([]complex128, n)
	first = eigen.Geev(bk, n <= eigen.SmallOrder, n, block.Dense(a, lda), w, left, block.Dense(vl, ldvl), right, block.Dense(vr, ldvr))
	for i, v := range w {
		wr[i], wi[i] = real(v), imag(v)
	}
	work[0] = float64(least)
	return first
}

// Dsyev writes the eigenvalues of the symmetric n×n matrix A to w[:n], in ascending order. It reads the
// triangle ul of a. For jobz = lapack.EVCompute it overwrites all of a with orthonormal eigenvectors,
// column j for w[j]; for lapack.EVNone it leaves a unchanged. The sign of a vector is arbitrary.
//
// The values take 4n³/3 flops and a workspace of about n(n+200) numbers. With vectors, Dsyev takes at
// most about 10n³/3 flops more, and a workspace of n(4n+200) numbers. work has at least max(1, 3n-1)
// elements. The vectors are computed by divide and conquer, as in LAPACK's dsyevd.
//
// It returns false, with NaN in w and a unchanged, if A is not finite or the algorithm does not
// converge.
func (impl Implementation) Dsyev(jobz gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	need := max(1, 3*n-1)
	compute := jobz == gonumlapack.EVCompute
	good := (compute || jobz == gonumlapack.EVNone) && isUplo(ul) && n > 0 && lda >= n
	if good && lwork == -1 && len(work) > 0 {
		work[0] = float64(need)
		return false // as gonum does
	}
	if !good || lwork < need || len(work) < lwork || !holds(a, n, n, lda) || len(w) < n {
		ok = impl.Implementation.Dsyev(jobz, ul, n, a, lda, w, work, lwork)
	} else {
		routine := eigensym.Syev
		if n <= eigensym.SmallOrder {
			routine = eigensym.Small
		}
		if ok = routine(announce(impl.Backend, "Dsyev", n, n, 0), ul, compute, n, block.Dense(a, lda), w[:n]); !ok {
			setNaN(w[:n])
		}
	}
	work[0] = float64(need)
	return ok
}

// Dgesvd computes the singular value decomposition A = U Σ Vᵀ of the m×n matrix A and overwrites a. For
// m = n it takes 8n³/3 flops, and at most about 20n³/3 more for the vectors. It computes vectors by
// divide and conquer, as LAPACK's dgesdd does. s receives the min(m, n) values in descending order.
// Each is computed from the bidiagonal matrix to high relative accuracy. If min(m, n) >= 20, they are
// the same with and without vectors. jobU and jobVT select what is written to u and vt: all of the m×m
// U and the n×n Vᵀ for lapack.SVDAll, the first min(m, n) columns of U and rows of Vᵀ for
// lapack.SVDStore, nothing for lapack.SVDNone. Like gonum, it does not support lapack.SVDOverwrite.
//
// It returns false and sets the values to NaN if an element of A is NaN or infinite, or if the values
// do not converge; u and vt are then undefined. It allocates about two matrices of the size of A; with
// vectors, four more of order min(m, n); and for lapack.SVDAll, one of the size of U or Vᵀ. work
// has at least max(3k + max(m, n), 5k) elements, where k = min(m, n), and may be overwritten.
func (impl Implementation) Dgesvd(jobU, jobVT gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) (ok bool) {
	k := min(m, n)
	left, okU := vectors(jobU, m, k, u, ldu)
	right, okVT := vectors(jobVT, n, k, vt, ldvt)
	least := max(3*k+max(m, n), 5*k)
	okU = okU && ldu >= 1 && (left.Count == 0 || holds(u, m, left.Count, ldu))
	okVT = okVT && ldvt >= 1 && (right.Count == 0 || holds(vt, right.Count, n, ldvt))
	valid := k > 0 && okU && okVT && lda >= n && len(work) >= max(1, lwork)
	if valid && lwork == -1 {
		work[0] = float64(least)
		return true
	}
	if !valid || lwork < least || !holds(a, m, n, lda) || len(s) < k {
		unwritten(work, func(work []float64) {
			ok = impl.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
		})
		return ok
	}
	gonums := 1 < k && k < minGesvd
	if gonums { // outside this range gonum's iterations do not meet the guarantees above
		size := impl.Dlange(gonumlapack.MaxAbs, m, n, a, lda, nil)
		gonums = 0x1p-400 <= size && size <= 0x1p400
	}
	if gonums {
		ok = impl.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	} else {
		ok = svd.Gesvd(announce(impl.Backend, "Dgesvd", m, n, 0), m, n, block.Dense(a, lda), s[:k], left, right)
	}
	if !ok {
		setNaN(s[:k])
	}
	work[0] = float64(least)
	return ok
}

func setNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}

// vectors returns the storage for the vectors that job asks for, x with rows ldx apart, and their
// number: n, k or 0. ok reports whether job is valid.
func vectors(job gonumlapack.SVDJob, n, k int, x []float64, ldx int) (v svd.Vectors, ok bool) {
	v.X = block.Dense(x, ldx)
	switch job {
	case gonumlapack.SVDAll:
		v.Count = n
	case gonumlapack.SVDStore:
		v.Count = k
	case gonumlapack.SVDNone:
	default:
		return v, false
	}
	return v, true
}
