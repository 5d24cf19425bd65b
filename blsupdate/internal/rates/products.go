package rates

import (
	"time"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/ridge"

	"gonum.org/v1/gonum/blas"
)

func prepareGemm(tA, tB blas.Transpose, beta float64) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, k int) func() time.Duration {
		if !w.fits(m*k+k*n, m*n) {
			return nil
		}
		a, b, c := w.in, w.in[m*k:], w.out
		lda, ldb := k, n
		if tA == blas.Trans {
			lda = m
		}
		if tB == blas.Trans {
			ldb = k
		}
		return w.cold(func() { w.backend.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, beta, c, n) })
	}
}

func prepareSprk(w *workspace, _, n, k int) func() time.Duration {
	if !w.fits(n*k, half(n)) {
		return nil
	}
	return w.cold(func() { w.packed.Dsprk(blas.Trans, n, k, 1, w.in, n, 1, w.out) })
}

func prepareGemmtp(w *workspace, _, n, k int) func() time.Duration {
	if !w.fits(2*n*k, half(n)) {
		return nil
	}
	return w.cold(func() { w.packed.Dgemmtp(blas.NoTrans, blas.Trans, n, k, 1, w.in, k, w.in[n*k:], k, 0, w.out) })
}

func prepareSpmm(s blas.Side) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		symmetric := half(cost.Order(s, m, n))
		if !w.fits(symmetric+m*n, m*n) {
			return nil
		}
		return w.cold(func() { w.packed.Dspmm(s, m, n, 1, w.in, w.in[symmetric:], n, 0, w.out, n) })
	}
}

func prepareTrmm(s blas.Side) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		n0 := cost.Order(s, m, n)
		if !w.fits(n0*n0+m*n, m*n) {
			return nil
		}
		b := w.out[:m*n]
		return w.after(func() { copy(b, w.in[n0*n0:]) }, func() {
			w.backend.Dtrmm(s, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, w.in, n0, b, n)
		})
	}
}

func prepareTimesPacked(w *workspace, m, n, _ int) func() time.Duration {
	if !w.fits(half(n)+m*n, m*n) {
		return nil
	}
	s, x := w.state(n), w.in[half(n):]
	return w.warm(func() { ridge.TimesPacked(s, m, 1, w.in, x, n, w.out) })
}

func prepareAddOuter(w *workspace, m, n, _ int) func() time.Duration {
	if !w.fits(m*n, half(n)) {
		return nil
	}
	s := w.state(n)
	return w.warm(func() { ridge.AddOuter(s, m, 1, w.in, w.out) })
}
