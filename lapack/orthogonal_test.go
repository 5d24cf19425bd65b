package lapack

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// orthogonal has the routines for a QR factorization, or for an LQ factorization under the names for
// the QR factorization of the transpose. Matrices have gaps between their rows, which stay as they are,
// and the workspace is the shortest and holds NaN.
type orthogonal struct {
	gonumlapack.Float64
	t  *testing.T
	lq bool
}

// on calls do with a matrix in storage, in which an LQ factorization has the transpose.
func (o orthogonal) on(a *full, do func(rows, cols int, x []float64, ld int)) *full {
	turn := func(a *full) *full {
		if o.lq {
			return a.T()
		}
		return a
	}
	h := hold(turn(a), turn(a).C+3, whole)
	do(h.R, h.C, h.X, h.Ld)
	return turn(h.After(o.t, "reflections"))
}

// work calls do with the shortest workspace, filled with NaN, in which do leaves a sufficient length.
func (o orthogonal) work(n int, do func(work []float64, lwork int)) {
	o.t.Helper()
	work := nans(n)
	if do(work, len(work)); !(work[0] >= float64(len(work))) {
		o.t.Errorf("work[0] is %v after a call with %d", work[0], len(work))
	}
}

// factor returns what Dgeqrf or Dgelqf makes of A.
func (o orthogonal) factor(a *full) (v *full, tau []float64) {
	k := min(a.R, a.C)
	tau = nans(k)[:k]
	return o.on(a, func(m, n int, x []float64, ld int) {
		if o.lq {
			o.work(m, func(work []float64, lwork int) { o.Dgelqf(m, n, x, ld, tau, work, lwork) })
		} else {
			o.work(n, func(work []float64, lwork int) { o.Dgeqrf(m, n, x, ld, tau, work, lwork) })
		}
	}), tau
}

// form returns the first n columns of the product of the first reflections in v.
func (o orthogonal) form(v *full, tau []float64, n int) *full {
	k := len(tau)
	q := testmat.New(v.R, n)
	for i := range q.R {
		copy(q.Row(i)[:k], v.Row(i))
	}
	return o.on(q, func(m, n int, x []float64, ld int) {
		if o.lq {
			o.work(m, func(work []float64, lwork int) { o.Dorglq(m, n, k, x, ld, tau, work, lwork) })
		} else {
			o.work(n, func(work []float64, lwork int) { o.Dorgqr(m, n, k, x, ld, tau, work, lwork) })
		}
	})
}

// multiply returns op(Q) C, or C op(Q) on the right.
func (o orthogonal) multiply(side blas.Side, t blas.Transpose, v *full, tau []float64, c *full) *full {
	k := len(tau)
	part, x := v.Part(0, 0, v.R, k), hold(c, c.C+2, whole)
	lwork := c.C
	if side == blas.Right {
		lwork = c.R
	}
	routine := o.Dormqr
	if o.lq { // which has Qᵀ
		routine, t = o.Dormlq, block.Other(t)
	}
	after := o.on(part, func(_, _ int, v []float64, ld int) {
		o.work(lwork, func(work []float64, lwork int) {
			routine(side, t, c.R, c.C, k, v, ld, tau, x.X, x.Ld, work, lwork)
		})
	})
	if !testmat.SameBits(after.X, part.X) {
		o.t.Errorf("%d×%d: the reflections were changed", v.R, k)
	}
	return x.After(o.t, "C")
}

// try calls Dgels for A X = B; for an LQ factorization it passes Aᵀ and asks for its transpose.
func (o orthogonal) try(a, b *full) (x *full, ok bool) {
	m, n, nrhs, trans := a.R, a.C, b.C, blas.NoTrans
	if o.lq {
		m, n, trans = n, m, blas.Trans
	}
	rhs := hold(testmat.From(max(m, n), nrhs, append(slices.Clone(b.X), nans(max(m, n)*nrhs)...)...), nrhs+2, whole)
	lwork := min(m, n) + max(min(m, n), nrhs)
	o.on(a, func(m, n int, a []float64, ld int) {
		o.work(lwork, func(work []float64, lwork int) { ok = o.Dgels(trans, m, n, nrhs, a, ld, rhs.X, rhs.Ld, work, lwork) })
	})
	return rhs.After(o.t, "B").Part(0, 0, a.C, nrhs), ok
}

func (o orthogonal) solve(a, b *full) *full {
	o.t.Helper()
	x, ok := o.try(a, b)
	if !ok {
		o.t.Errorf("%d×%d: singular", a.R, a.C)
	}
	return x
}

// Systems near the largest and the smallest numbers are solved like the others.
func TestGelsScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(271)
		for _, shape := range [][2]int{{1, 1}, {2, 2}, {3, 2}, {1, 5}, {7, 9}, {16, 16}, {30, 30}, {150, 100}, {100, 150}} {
			a := testmat.Random(rng, shape[0], shape[1])
			b := testmat.Random(rng, shape[0], 7)
			for _, lq := range []bool{false, true} {
				o := orthogonal{Implementation{Backend: bk}, t, lq}
				want := o.solve(a, b)
				for _, e := range [][2]int{{1018, 1018}, {1018, 0}, {-1020, -1020}, {0, -1000}, {0, 1000}, {-900, 0}, {-1015, -990}, {500, -480}} {
					x := o.solve(a.Times(e[0]), b.Times(e[1])).Times(e[0] - e[1])
					// A tiny A has lost the bits below the smallest number.
					lost := math.Ldexp(1, max(-1074-e[0], -1074-e[1], -53)+53)
					if d := x.Sub(want).Norm(); !(d <= lost*between(a, want)) {
						t.Errorf("%v, Aᵀ %v: with exponents %v X is off by %g of %g", shape, lq, e, d, want.Norm())
					}
				}
			}
		}
	})
}

// between bounds the difference of two solutions in the 1-norm; cond is the condition number of AᵀA or
// AAᵀ, which bounds the least-squares one. Each solution has a residual below 30 n eps ‖A‖ ‖X‖, and X -
// Y = A⁻¹(R_Y - R_X).
func between(a, x *full) float64 {
	if a.R < a.C {
		a = a.T()
	}
	gram := a.T().Mul(a)
	return 2 * ratioBound * float64(a.R) * eps * gram.Norm() * gonumInverse(gram).Norm() * x.Norm()
}

// A triangle with a zero on its diagonal is reported; A = 0 has the solution 0, and NaN and infinities
// give an X that is not finite.
func TestGelsSingular(t *testing.T) {
	rng := testutil.Rand(272)
	for _, shape := range [][2]int{{40, 40}, {150, 100}, {100, 150}} {
		for _, lq := range []bool{false, true} {
			o := orthogonal{Implementation{Backend: fastBLAS(t)}, t, lq}
			b := testmat.Random(rng, shape[0], 3)
			x, ok := o.try(testmat.New(shape[0], shape[1]), b)
			if !ok || !testmat.SameBits(x.X, testmat.New(x.R, x.C).X) {
				t.Errorf("%v, Aᵀ %v: A = 0: %v, not 0", shape, lq, ok)
			}
			k := min(shape[0], shape[1])
			for _, at := range []int{0, k / 2, k - 1} {
				a := testmat.Random(rng, shape[0], shape[1])
				for i := range max(a.R, a.C) { // a column of the matrix that has a QR factorization
					if a.R > a.C || a.R == a.C && !lq {
						a.Set(i, at, 0)
					} else {
						a.Set(at, i, 0)
					}
				}
				if _, ok := o.try(a, b); ok {
					t.Errorf("%v, Aᵀ %v: a zero on the diagonal was not found", shape, lq)
				}
			}
			for _, v := range []float64{math.NaN(), math.Inf(1)} {
				a := testmat.Random(rng, shape[0], shape[1])
				a.Set(shape[0]/2, shape[1]/2, v)
				x, ok := o.try(a, b)
				if ok && x.Norm()-x.Norm() == 0 {
					t.Errorf("%v, Aᵀ %v: with %v in A all of X is finite", shape, lq, v)
				}
				rhs := testmat.Random(rng, shape[0], 3)
				rhs.Set(shape[0]/2, 1, v)
				x, ok = o.try(testmat.Random(rng, shape[0], shape[1]), rhs)
				for j, column := range []*full{x.Column(0), x.Column(1), x.Column(2)} {
					if n := column.Norm(); !ok || (n-n == 0) != (j != 1) {
						t.Errorf("%v, Aᵀ %v: with %v in column 1 of B, column %d of X has norm %v", shape, lq, v, j, n)
					}
				}
			}
		}
	}
}
