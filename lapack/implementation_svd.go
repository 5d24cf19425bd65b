package lapack

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor/svd"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

// Dgesvd computes the singular value decomposition A = U Σ Vᵀ of the m×n A, for m = n in 8n³/3
// flops, and at most about 20n³/3 more with vectors, which come by divide and conquer, as in
// LAPACK's dgesdd. It overwrites a. s has the min(m, n) values in descending order: each has the digits
// that the bidiagonal matrix gives it, and from 20 values on they are the same with vectors and
// without. jobU and jobVT say what goes to u and vt: for lapack.SVDAll U is m×m and Vᵀ n×n; for
// lapack.SVDStore there are the first min(m, n) columns of U and rows of Vᵀ; for lapack.SVDNone u or vt
// is not used. As gonum's it has no lapack.SVDOverwrite.
//
// It returns false, and makes the values NaN, if an element of A is NaN or infinite, or the values do
// not converge; u and vt are then undefined. It allocates about two matrices of the size of A, with
// vectors four more of order min(m, n), and for lapack.SVDAll one of the size of U or Vᵀ. The first
// lwork elements of work, at least as many as gonum's routine needs, are overwritten; if lwork is -1 it
// only writes that length to work[0].
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
	if 1 < k && k < minGesvd && moderate(m, n, a, lda) {
		ok = impl.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	} else {
		ok = svd.Gesvd(impl.announce("Dgesvd", m, n, 0), m, n, block.Dense(a, lda), s[:k], left, right)
	}
	work[0] = float64(least)
	return ok
}

// vectors returns where the vectors of a job go that are all of order n, or the first k.
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
