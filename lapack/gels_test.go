package lapack

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

// try calls Dgels for A X = B; for an LQ factorization it gives Aᵀ and asks for its transpose.
func (o orthogonal) try(a, b *full) (x *full, ok bool) {
	m, n, nrhs, trans := a.R, a.C, b.C, blas.NoTrans
	if o.lq {
		m, n, trans = n, m, blas.Trans
	}
	rhs := hold(testmat.From(max(m, n), nrhs, append(slices.Clone(b.X), nans(max(m, n)*nrhs)...)...), nrhs+2, whole)
	lwork := min(m, n) + max(min(m, n), nrhs)
	o.on(a, func(m, n int, a []float64, ld int) {
		ok = o.Dgels(trans, m, n, nrhs, a, ld, rhs.x, rhs.ld, nans(lwork), lwork)
	})
	return rhs.after(o.t, "B").Part(0, 0, a.C, nrhs), ok
}

func (o orthogonal) solve(a, b *full) *full {
	o.t.Helper()
	x, ok := o.try(a, b)
	if !ok {
		o.t.Errorf("%d×%d: singular", a.R, a.C)
	}
	return x
}

// checkGels tests a least squares solution, or the one of least norm, as LAPACK's dqrt17 and dqrt14
// do: the residual is orthogonal to the columns of A, and X is in the span of the rows, which those
// of A + E have to cond(A) ‖E‖/‖A‖.
func (o orthogonal) checkGels(name string, a, b *full, cond float64) {
	t := o.t
	t.Helper()
	x := o.solve(a, b)
	size := float64(max(a.R, a.C)) * eps
	if a.R >= a.C {
		checkLeastSquares(t, name, a, x, b)
		return
	}
	checkSolution(t, name, a, x, b)
	v, tau := orthogonal{o.Float64, t, false}.factor(a.T())
	q := orthogonal{o.Float64, t, false}.form(v, tau, a.R)
	checkRatio(t, name+": X is not in the span of the rows:", testmat.Over(x.Sub(q.Mul(q.T().Mul(x))).Norm(), size, cond, x.Norm()))
}

// Matrices and right sides near the largest and the smallest numbers are solved as those between.
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
					x := o.solve(a.Times(e[0]), b.Times(e[1]))
					x = x.Times(e[0] - e[1])
					// A tiny A has lost the bits below the smallest number.
					lost := math.Ldexp(1, max(-1074-e[0], -1074-e[1], -53)+53)
					if d := x.Sub(want).Norm(); !(d <= lost*between(max(a.R, a.C), condOfRectangle(a), want)) {
						t.Errorf("%v, Aᵀ %v: with exponents %v X is off by %g of %g", shape, lq, e, d, want.Norm())
					}
				}
			}
		}
	})
}

// condOfRectangle is the condition number of AᵀA or AAᵀ, which bounds that of least squares.
func condOfRectangle(a *full) float64 {
	if a.R < a.C {
		a = a.T()
	}
	return condOf(a.T().Mul(a))
}

// A triangle with a zero on its diagonal is found; A = 0 has the solution 0, and NaN and infinities
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
