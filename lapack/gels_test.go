package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	gonummat "gonum.org/v1/gonum/mat"
)

// first returns the first rows of a.
func (a *full) first(rows int) *full { return &full{rows, a.c, a.x[:rows*a.c]} }

// try calls Dgels for A X = B; for an LQ factorization it gives Aᵀ and asks for its transpose.
func (o orthogonal) try(a, b *full) (x *full, ok bool) {
	m, n, nrhs, trans := a.r, a.c, b.c, blas.NoTrans
	if o.lq {
		m, n, trans = n, m, blas.Trans
	}
	all, ldb := nansFull(max(m, n), nrhs), nrhs+2
	copy(all.x, b.x)
	rhs := padded(all, ldb)
	lwork := min(m, n) + max(min(m, n), nrhs)
	o.on(a, func(m, n int, a []float64, ld int) {
		ok = o.Dgels(trans, m, n, nrhs, a, ld, rhs, ldb, nans(lwork), lwork)
	})
	return unpadded(o.t, rhs, max(m, n), nrhs, ldb).first(a.c), ok
}

func (o orthogonal) solve(a, b *full) *full {
	o.t.Helper()
	x, ok := o.try(a, b)
	if !ok {
		o.t.Errorf("%d×%d: singular", a.r, a.c)
	}
	return x
}

func nansFull(r, c int) *full { return &full{r, c, nans(r * c)} }

// checkGels tests a least squares solution, or the one of least norm, as LAPACK's dqrt17 and dqrt14
// do: the residual is orthogonal to the columns of A, and X is in the span of the rows, which those
// of A + E have to cond(A) ‖E‖/‖A‖.
func (o orthogonal) checkGels(name string, a, b *full, cond float64) {
	t := o.t
	t.Helper()
	x := o.solve(a, b)
	size := float64(max(a.r, a.c)) * eps
	if a.r >= a.c {
		s := a.norm()
		an := newFull(a.r, a.c)
		for i, v := range a.x {
			an.x[i] = v / s
		}
		xn := newFull(x.r, x.c)
		for i, v := range x.x {
			xn.x[i] = v * s
		}
		res := b.sub(an.mul(xn))
		if r := over(an.transpose().mul(res).norm(), size, an.transpose().norm(), b.norm()+xn.norm()); !(r <= ratioBound) {
			t.Errorf("%s: ‖Aᵀ(B - A X)‖: ratio %.3g", name, r)
		}
		return
	}
	checkSolution(t, name, a, x, b)
	v, tau := orthogonal{o.Float64, t, false}.factor(a.transpose())
	q := orthogonal{o.Float64, t, false}.form(v, tau, a.r)
	if r := over(x.sub(q.mul(q.transpose().mul(x))).norm(), size, cond, x.norm()); !(r <= ratioBound) {
		t.Errorf("%s: X is not in the span of the rows: ratio %.3g", name, r)
	}
}

func TestGels(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		rng := testutil.Rand(270)
		for k, shape := range reflectionShapes() {
			if shape[1] == 0 {
				continue
			}
			for i, cond := range []float64{1, 1e3, 1e10} {
				if shape[0] > 12 && (i+k)%3 != 0 {
					continue
				}
				s := spectrumKind{fmt.Sprintf("condition %g", cond), geometric(cond), 1}
				a := s.general(rng, shape[0], shape[1])
				for _, a := range []*full{a, a.transpose()} {
					for _, lq := range []bool{false, true} {
						o := orthogonal{Implementation{Backend: bk}, t, lq}
						o.checkGels(fmt.Sprintf("%s %d×%d, Aᵀ %v", s.name, a.r, a.c, lq), a, randomFull(rng, a.r, 1+rng.IntN(20)), cond)
					}
				}
			}
		}
	})
}

// Matrices and right sides near the largest and the smallest numbers are solved as those between.
func TestGelsScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(271)
		for _, shape := range [][2]int{{1, 1}, {2, 2}, {3, 2}, {1, 5}, {7, 9}, {16, 16}, {30, 30}, {150, 100}, {100, 150}} {
			a := randomFull(rng, shape[0], shape[1])
			b := randomFull(rng, shape[0], 7)
			for _, lq := range []bool{false, true} {
				o := orthogonal{Implementation{Backend: bk}, t, lq}
				want := o.solve(a, b)
				for _, e := range [][2]int{{1018, 1018}, {1018, 0}, {-1020, -1020}, {0, -1000}, {0, 1000}, {-900, 0}, {-1015, -990}, {500, -480}} {
					x := o.solve(scaledCopy(a, e[0]), scaledCopy(b, e[1]))
					x = scaledCopy(x, e[0]-e[1])
					// A tiny A has lost the bits below the smallest number.
					lost := math.Ldexp(1, max(-1074-e[0], -1074-e[1], -53)+53)
					if d := x.sub(want).norm(); !(d <= lost*between(max(a.r, a.c), condOfRectangle(a), want)) {
						t.Errorf("%v, Aᵀ %v: with exponents %v X is off by %g of %g", shape, lq, e, d, want.norm())
					}
				}
			}
		}
	})
}

func scaledCopy(a *full, exponent int) *full {
	b := newFull(a.r, a.c)
	for i, v := range a.x {
		b.x[i] = math.Ldexp(v, exponent)
	}
	return b
}

// condOfRectangle is the condition number of AᵀA or AAᵀ, which bounds that of least squares.
func condOfRectangle(a *full) float64 {
	if a.r < a.c {
		a = a.transpose()
	}
	return condOf(a.transpose().mul(a))
}

// A triangle with a zero on its diagonal is found; A = 0 has the solution 0, and NaN and infinities
// give an X that is not finite.
func TestGelsSingular(t *testing.T) {
	rng := testutil.Rand(272)
	for _, shape := range [][2]int{{40, 40}, {150, 100}, {100, 150}} {
		for _, lq := range []bool{false, true} {
			o := orthogonal{Implementation{Backend: fastBLAS(t)}, t, lq}
			b := randomFull(rng, shape[0], 3)
			x, ok := o.try(newFull(shape[0], shape[1]), b)
			if !ok || !sameBits(x.x, newFull(x.r, x.c).x) {
				t.Errorf("%v, Aᵀ %v: A = 0: %v, not 0", shape, lq, ok)
			}
			k := min(shape[0], shape[1])
			for _, at := range []int{0, k / 2, k - 1} {
				a := randomFull(rng, shape[0], shape[1])
				for i := range max(a.r, a.c) { // a column of the matrix that has a QR factorization
					if a.r > a.c || a.r == a.c && !lq {
						a.set(i, at, 0)
					} else {
						a.set(at, i, 0)
					}
				}
				if _, ok := o.try(a, b); ok {
					t.Errorf("%v, Aᵀ %v: a zero on the diagonal was not found", shape, lq)
				}
			}
			for _, v := range []float64{math.NaN(), math.Inf(1)} {
				a := randomFull(rng, shape[0], shape[1])
				a.set(shape[0]/2, shape[1]/2, v)
				x, ok := o.try(a, b)
				if ok && x.norm()-x.norm() == 0 {
					t.Errorf("%v, Aᵀ %v: with %v in A all of X is finite", shape, lq, v)
				}
				rhs := randomFull(rng, shape[0], 3)
				rhs.set(shape[0]/2, 1, v)
				x, ok = o.try(randomFull(rng, shape[0], shape[1]), rhs)
				for j, column := range []*full{x.column(0), x.column(1), x.column(2)} {
					if n := column.norm(); !ok || (n-n == 0) != (j != 1) {
						t.Errorf("%v, Aᵀ %v: with %v in column 1 of B, column %d of X has norm %v", shape, lq, v, j, n)
					}
				}
			}
		}
	}
}

// mat.QR, mat.LQ and mat.Dense.Solve compute with these routines what they do with gonum's.
func TestReflectionsInGonum(t *testing.T) {
	useBLAS(t, fastBLAS(t))
	defer lapack64.Use(gonum.Implementation{})
	rng := testutil.Rand(273)
	for _, shape := range [][2]int{{7, 4}, {120, 120}, {150, 90}, {90, 150}, {400, 33}} {
		a, b := randomFull(rng, shape[0], shape[1]), randomFull(rng, shape[0], 6)
		results := func(impl gonumlapack.Float64) []*full {
			lapack64.Use(impl)
			var x, y gonummat.Dense
			testutil.NoError(t, x.Solve(a.dense(), b.dense()))
			q, r := new(gonummat.Dense), new(gonummat.Dense)
			if shape[0] >= shape[1] {
				var f gonummat.QR
				f.Factorize(a.dense())
				f.QTo(q)
				f.RTo(r)
				testutil.NoError(t, f.SolveTo(&y, true, fullOf(&x).dense()))
			} else {
				var f gonummat.LQ
				f.Factorize(a.dense())
				f.QTo(q)
				f.LTo(r)
				testutil.NoError(t, f.SolveTo(&y, true, fullOf(&x).dense()))
			}
			return []*full{fullOf(&x), fullOf(&y), fullOf(q), fullOf(r)}
		}
		want, got := results(gonum.Implementation{}), results(Implementation{Backend: fastBLAS(t)})
		for i, w := range want {
			if d := w.sub(got[i]).norm(); !(d <= between(max(a.r, a.c), condOfRectangle(a), w)) {
				t.Errorf("%v: result %d is off by %g of %g", shape, i, d, w.norm())
			}
		}
	}
}
