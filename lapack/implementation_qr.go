package lapack

import (
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// Below these sizes gonum's routines are faster.
const (
	minReflectors = 16    // reflections of Dgeqrf, Dgeqp3, Dgelqf, Dorgqr and Dorglq
	minElements   = 8100  // elements of the matrix of Dgeqrf, Dgeqp3, Dgelqf and Dorglq
	minOrgqr      = 2500  // elements of the matrix of Dorgqr
	minProduct    = 10000 // elements of C in Dormqr and Dormlq with at most maxSingle reflections
	maxSingle     = 32
)

// Dgeqrf overwrites the m×n matrix A = Q R with R on and above the diagonal and the k = min(m, n)
// reflections of Q below it. Q = H₀ H₁ ..., where Hᵢ = I - tau[i] v vᵀ and column i holds v, with an
// implied one on the diagonal. It takes 2n²(m - n/3) flops for m >= n, and a workspace of at most
// 64(3m+n+16) + 65k numbers; work has at least max(1, n) elements. NaN and infinities, and columns
// whose norm overflows, give NaN or infinities in R and tau.
func (impl Implementation) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k < minReflectors || !holds(a, m, n, lda) || m*n < minElements || lwork < n || len(work) < lwork || len(tau) != k {
		impl.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dgeqrf", m, n, 0)
	copy(tau, qr.Geqrf(bk, false, 0, 0, m, n, block.Dense(a, lda)).Tau)
	work[0] = float64(n)
}

// Dgeqp3 factors the m×n matrix A with column pivoting, A P = Q R. It overwrites A with R and the
// reflections of Q, as Dgeqrf does. On entry jpvt[j] is -1 for a free column, or any index from 0 to
// n-1 for a column to move to the front. Each later step takes the free column with the largest
// component orthogonal to the earlier columns. On return column j of A P is column jpvt[j] of A. Dgeqp3
// takes 4mnk - 2(m+n)k² + 4k³/3 flops for k = min(m, n). The workspace is 32(m+n+31) + 2n numbers or,
// if larger, the workspace of Dgeqrf and Dormqr for the columns moved to the front. work has at least
// 3n+1 elements.
func (impl Implementation) Dgeqp3(m, n int, a []float64, lda int, jpvt []int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k < minReflectors || m*n < minElements || !holds(a, m, n, lda) || lwork < 3*n+1 || len(work) < lwork || len(tau) < k ||
		len(jpvt) != n || slices.Min(jpvt) < -1 || slices.Max(jpvt) >= n {
		impl.Implementation.Dgeqp3(m, n, a, lda, jpvt, tau, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dgeqp3", m, n, 0)
	fixed := 0
	for j, p := range jpvt {
		if jpvt[j] = j; p < 0 {
			continue
		}
		if j != fixed {
			bk.Dswap(m, a[j:], lda, a[fixed:], lda)
			jpvt[j], jpvt[fixed] = jpvt[fixed], j
		}
		fixed++
	}
	qr.Geqp3(bk, fixed, m, n, block.Dense(a, lda), jpvt, tau[:k])
	work[0] = float64(3*n + 1)
}

// Dgelqf overwrites the m×n matrix A = L Q with L on and below the diagonal and the k = min(m, n)
// reflections of Q above it. Row i holds the v of Hᵢ, and Q = ... H₁ H₀. Results (up to rounding),
// flops and workspace are as for Dgeqrf of Aᵀ; work has at least max(1, m) elements.
func (impl Implementation) Dgelqf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k < minReflectors || !holds(a, m, n, lda) || m*n < minElements || lwork < m || len(work) < lwork || len(tau) < k {
		impl.Implementation.Dgelqf(m, n, a, lda, tau, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dgelqf", m, n, 0)
	copy(tau, qr.Gelqf(bk, false, m, n, block.Dense(a, lda)).Tau)
	work[0] = float64(m)
}

// Dorgqr overwrites the m×n matrix a with the first n columns of Q, where 0 <= k <= n <= m. On entry
// the first k columns hold the reflections of Q below the diagonal, as Dgeqrf left them, and tau holds
// their scalar factors. It takes 4mnk - 2(m+n)k² + 4k³/3 flops, or 2n²(m - n/3) for k = n, and a
// workspace of 64(m+n+65) numbers; work has at least max(1, n) elements.
func (impl Implementation) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k < minReflectors || k > n || n > m || m*n < minOrgqr || lwork < n || len(work) < lwork || !holds(a, m, n, lda) || len(tau) != k {
		impl.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dorgqr", m, n, 0)
	qr.Reflections(false, m, block.Dense(a, lda), tau).Orgqr(bk, n)
	work[0] = float64(n)
}

// Dorglq overwrites the m×n matrix a, whose first k rows hold Dgelqf's reflections, with the first m
// rows of Q. It is Dorgqr for the transpose: 0 <= k <= m <= n, and lwork >= max(1, m).
func (impl Implementation) Dorglq(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k < minReflectors || k > m || m > n || !holds(a, m, n, lda) || m*n < minElements || lwork < m || len(work) < lwork || len(tau) < k {
		impl.Implementation.Dorglq(m, n, k, a, lda, tau, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dorglq", m, n, 0)
	qr.Reflections(true, n, block.Dense(a, lda), tau[:k]).Orgqr(bk, m)
	work[0] = float64(m)
}

// Dormqr overwrites the m×n matrix C with op(Q) C if side is blas.Left, or with C op(Q) if it is
// blas.Right. Q is the product of the k reflections that Dgeqrf left in tau and in a, which has m or n
// rows. op(Q) is Q if trans is blas.NoTrans and Qᵀ if it is blas.Trans. It takes n(4mk - 2k²) flops on
// the left, and a workspace of at most 64(m+n+65) numbers; work has at least max(1, n) elements on the
// left, max(1, m) on the right.
func (impl Implementation) Dormqr(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw, ok := sides(side, trans, m, n, k)
	if !ok || !holds(a, nq, k, lda) || len(tau) != k || !holds(c, m, n, ldc) || lwork < nw || len(work) < lwork {
		impl.Implementation.Dormqr(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dormqr", nq, k, nw)
	qr.Reflections(false, nq, block.Dense(a, lda), tau).Ormqr(bk, side, trans, nw, block.Dense(c, ldc))
	work[0] = float64(nw)
}

// Dormlq is Dormqr for the Q of Dgelqf, whose k reflections are in the rows of a.
func (impl Implementation) Dormlq(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw, ok := sides(side, trans, m, n, k)
	if !ok || !holds(a, k, nq, lda) || len(tau) < k || !holds(c, m, n, ldc) || lwork < nw || len(work) < lwork {
		if ldc < n { // gonum's routine checks ldc only when it uses C
			unwritten(work, func(work []float64) {
				impl.Implementation.Dormlq(side, trans, m, n, k, slices.Clone(a), lda, tau, slices.Clone(c), ldc, work, lwork)
			})
			return
		}
		impl.Implementation.Dormlq(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	bk := announce(impl.Backend, "Dormlq", nq, k, nw)
	q := qr.Reflections(true, nq, block.Dense(a, lda), tau[:k])
	q.Ormqr(bk, side, block.Other(trans), nw, block.Dense(c, ldc))
	work[0] = float64(nw)
}

// sides returns nq, the order of the Q that Dormqr applies to the m×n C, and nw, the other dimension of
// C. ok reports whether the arguments are valid and the problem is large enough for this package.
func sides(side blas.Side, trans blas.Transpose, m, n, k int) (nq, nw int, ok bool) {
	switch side {
	case blas.Left:
		nq, nw = m, n
	case blas.Right:
		nq, nw = n, m
	}
	ok = 0 < k && k <= nq && nw > 0 && (trans == blas.NoTrans || trans == blas.Trans)
	return nq, nw, ok && (k > maxSingle || nq >= (minProduct+nw-1)/nw)
}

// Dgels overwrites B with the X that minimizes ‖op(A) X - B‖₂ in each of the nrhs columns. If op(A) has
// fewer rows than columns, X is the solution of op(A) X = B of least norm. A is m×n and has full rank;
// op(A) is A if trans is blas.NoTrans and Aᵀ otherwise. b has max(m, n) rows; the first ones hold B on
// entry and X on return. If X has fewer rows than B, the squares of the elements below X in a column
// sum to ‖op(A) X - B‖² there, unless numbers beyond 2⁹⁷⁰ or below 2⁻⁹⁷⁰ made Dgels scale A or B.
//
// Dgels overwrites A with the result of Dgeqrf or, for m < n, of Dgelqf. The factorization takes the
// flops of that routine; the workspace is 64·nrhs numbers larger. Dgels returns false, with b
// undefined, if the triangle has a zero on its diagonal. For A = 0 it returns true and X = 0. work has
// at least k + max(k, nrhs) elements, where k = min(m, n).
func (impl Implementation) Dgels(trans blas.Transpose, m, n, nrhs int, a []float64, lda int, b []float64, ldb int, work []float64, lwork int) bool {
	t, ok := isTranspose(trans)
	k := min(m, n)
	least := k + max(k, nrhs)
	if !ok || k <= 0 || nrhs <= 0 || !holds(a, m, n, lda) || !holds(b, max(m, n), nrhs, ldb) || lwork < least || len(work) < lwork {
		if lwork == -1 { // gonum's routine clears B if A is empty, even in this query
			b = slices.Clone(b)
		}
		unwritten(work, func(work []float64) {
			ok = impl.Implementation.Dgels(trans, m, n, nrhs, a, lda, b, ldb, work, lwork)
		})
		return ok
	}
	bk := announce(impl.Backend, "Dgels", m, n, nrhs)
	ok = qr.Gels(bk, t, m, n, nrhs, block.Dense(a, lda), block.Dense(b, ldb))
	work[0] = float64(least)
	return ok
}
