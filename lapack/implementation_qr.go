package lapack

// Dorgqr overwrites what Dgeqrf left in the first k columns of the m×n a, reflections below the
// diagonal and tau their k factors, by the first n columns of the orthogonal Q that is their product;
// 0 <= k <= n <= m. It takes 4mnk - 2(m+n)k² + 4k³/3 flops, which are 2n²(m - n/3) for k = n, and a
// workspace of its own of 32(m+n+32) numbers. The first lwork elements of work, at least max(1, n), are
// not needed from k = 40 on. If lwork is -1 it only writes a length to work[0].
func (impl Implementation) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k < leastOrgqr || k > n || n > m || lda < n || lwork < n || len(work) < lwork || !holds(a, m, n, lda) || len(tau) != k {
		// Few reflections, a query, or a panic.
		impl.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	rows, cols, kk := float64(m), float64(n), float64(k)
	bk, done := impl.begin("Dorgqr", m, n, 0, 4*rows*cols*kk-2*(rows+cols)*kk*kk+4*cube(k)/3)
	defer done()
	orgqr(bk, m, n, k, a, lda, tau)
	work[0] = float64(n)
}
