package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// ofCondition returns the n×n diagonal matrix of ones with 1/kappa last, of condition number kappa.
func ofCondition(n int, kappa float64) *full {
	return testmat.Func(n, n, func(i, j int) float64 {
		switch {
		case i != j:
			return 0
		case i == n-1:
			return 1 / kappa
		}
		return 1
	})
}

// wantCondition tests that err is a *ConditionError in which errors.As finds gonum's mat.Condition, of
// about kappa, and that no other kind of error matches.
func wantCondition(t *testing.T, name string, err error, kappa float64) {
	t.Helper()
	var ours *ConditionError
	var theirs gonummat.Condition
	if !errors.As(err, &ours) || !errors.As(err, &theirs) || errors.Is(err, ErrSingular) {
		t.Errorf("%s: error %v", name, err)
	} else if !(float64(theirs) > kappa/4 && float64(theirs) < kappa*4) || float64(theirs) != 1/ours.RCond {
		t.Errorf("%s: condition number %g, RCond %g, want about %g", name, float64(theirs), ours.RCond, kappa)
	}
}

// A solution or an inverse comes with a ConditionError above 1e16, or MaxCondition, and not below. The
// result is complete, and the factorization stays usable.
func TestConditionError(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{2, 5, 40} {
			for _, c := range []struct{ kappa, limit float64 }{
				{1e17, 0}, {5e15, 0}, {1e300, 0}, {1e9, 1e8}, {1e9, 1e10}, {1e300, math.Inf(1)},
			} {
				a := ofCondition(n, c.kappa)
				b := mat.NewDense(n, 1, nil)
				b.Set(n-1, 0, 1)
				limit := c.limit
				if limit == 0 {
					limit = 1e16
				}
				check := func(name string, err error, got, want float64) {
					t.Helper()
					if !(math.Abs(got-want) <= 1e-15*want) {
						t.Errorf("%s, κ = %g: result %g, want %g", name, c.kappa, got, want)
					}
					if c.kappa > limit {
						wantCondition(t, name, err, c.kappa)
					} else if err != nil {
						t.Errorf("%s, κ = %g: %v", name, c.kappa, err)
					}
				}
				for _, f := range limited(t, bk, c.limit) {
					testutil.NoError(t, f.factorize(a, true))
					for range 2 { // usable after an error
						var x, rows mat.Dense
						err := f.SolveTo(&x, b)
						check(f.name+".SolveTo", err, x.At(n-1, 0), c.kappa)
						err = f.SolveRowsTo(&rows, mat.NewDense(1, n, b.RawMatrix().Data))
						check(f.name+".SolveRowsTo", err, rows.At(0, n-1), c.kappa)
						var v gonummat.VecDense
						err = f.vector(&v, gonummat.NewVecDense(n, b.RawMatrix().Data))
						check(f.name+".SolveVecTo", err, v.AtVec(n-1), c.kappa)
						inverse, err := f.inverse(false)
						check(f.name+".InverseTo", err, inverse.At(n-1, n-1), c.kappa)
					}
					x, err := f.inverse(true)
					check(f.name+".InverseInPlace", err, x.At(n-1, n-1), c.kappa)
				}
				q := QR{Backend: bk, MaxCondition: c.limit}
				testutil.NoError(t, q.Factorize(a.Dense()))
				var x mat.Dense
				err := q.SolveTo(&x, b)
				check("QR.SolveTo", err, x.At(n-1, 0), c.kappa)
			}
		}
	})
}

func limited(t *testing.T, bk blskernel.Backend, limit float64) []*factorization {
	all := factorizations(t, bk)
	for _, f := range all {
		*f.limit = limit
	}
	return all
}

// An exactly zero pivot has an infinite condition number, as in gonum. A negative one has none.
func TestConditionErrorAsGonum(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		f := LU{Backend: bk}
		var condition gonummat.Condition
		err := f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 2, 4}))
		if !errors.Is(err, ErrSingular) || !errors.As(err, &condition) || !math.IsInf(float64(condition), 1) {
			t.Errorf("error %v, condition %v", err, condition)
		}
		condition = 1
		var c Cholesky
		err = c.Factorize(mat.NewSymPacked(2, []float64{1, 1, 1}))
		if !errors.Is(err, ErrNotPositiveDefinite) || !errors.As(err, &condition) || !math.IsInf(float64(condition), 1) {
			t.Errorf("error %v, condition %v", err, condition)
		}
		err = c.Factorize(mat.NewSymPacked(2, []float64{1, 2, 1}))
		if !errors.Is(err, ErrNotPositiveDefinite) || errors.As(err, &condition) {
			t.Errorf("error %v, condition %v", err, condition)
		}
	})
}

// Only the first solve estimates the condition number.
func TestRCondOnce(t *testing.T) {
	const n = 30
	j := &journal{inner: fastBLAS(t)}
	a, b := testmat.Spectral(testutil.Rand(5), n, testmat.From1), testmat.Identity(n).Dense()
	for _, f := range limited(t, j, 0) {
		testutil.NoError(t, f.factorize(a, false))
		j.routines = nil
		for range 3 {
			testutil.NoError(t, errors.Join(f.SolveTo(&mat.Dense{}, b), f.SolveRowsTo(&mat.Dense{}, b)))
			f.RCond()
			_, err := f.inverse(false)
			testutil.NoError(t, err)
		}
		estimates := 0
		for _, r := range j.routines {
			if r.Name[3:] == "con" {
				estimates++
			}
		}
		if estimates != 1 || len(j.routines) != 10 {
			t.Errorf("%s: %d estimates in %v", f.name, estimates, j.routines)
		}
	}
	j.routines = nil
	for _, f := range limited(t, j, math.Inf(1)) {
		testutil.NoError(t, errors.Join(f.factorize(a, false), f.SolveTo(&mat.Dense{}, b)))
	}
	if len(j.routines) != 6 {
		t.Errorf("with no limit: %v", j.routines)
	}
}

// RCond is at most 1, also for multiples of the identity, where the estimate rounds up.
func TestRCondAtMostOne(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for n := 1; n <= 60; n++ {
			a := testmat.Func(n, n, func(i, j int) float64 { return (0.1 + float64(n)/7) * testmat.Unless(i != j) })
			for _, f := range factorizations(t, bk) {
				testutil.NoError(t, f.factorize(a, false))
				if r := f.RCond(); !(r <= 1 && r > 1-1e-14) {
					t.Errorf("%s: n=%d: RCond = 1 + %g", f.name, n, r-1)
				}
			}
		}
	})
}

// A column that is a combination of others to working precision is found, whatever its place and scale.
func TestQRDependentColumns(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(61)
		for trial := range 300 {
			k := 2 + trial%25
			l := k + rng.IntN(2*k)
			a, at := testmat.Random(rng, l, k), 1+rng.IntN(k-1)
			weights := testmat.Random(rng, at, 1)
			scale := math.Ldexp(1, trial%2*(rng.IntN(200)-100))
			for i := range l {
				s := 0.0
				for j := range at {
					s += a.At(i, j) * weights.At(j, 0)
				}
				a.Set(i, at, s*scale)
			}
			q := QR{Backend: bk}
			testutil.NoError(t, q.Factorize(a.Dense()))
			var x mat.Dense
			err := q.SolveTo(&x, testmat.Random(rng, l, 2).Dense())
			var condition *ConditionError
			if !errors.As(err, &condition) && !errors.Is(err, ErrSingular) {
				t.Errorf("%d×%d, column %d of scale %g: %v, RCond %g", l, k, at, scale, err, q.RCond())
			}
		}
		// The last column is a difference, with the rounding errors of the other two, which are
		// longer.
		for _, l := range []int{300, 3000} {
			a := testmat.Func(l, 3, func(i, j int) float64 {
				u, v := float64(i*7919%l)/8192, float64(i*104729%l)/8192
				return []float64{16 + u, 16 + v, u - v}[j]
			})
			q := QR{Backend: bk}
			testutil.NoError(t, q.Factorize(a.Dense()))
			var x mat.Dense
			var condition *ConditionError
			if err := q.SolveTo(&x, testmat.Random(rng, l, 1).Dense()); !errors.As(err, &condition) {
				t.Errorf("%d differences: %v, RCond %g", l, err, q.RCond())
			}
		}
	})
}

// wilkinson returns the matrix whose last column doubles with every pivot.
func wilkinson(n int) *full {
	return testmat.Func(n, n, func(i, j int) float64 {
		switch {
		case i == j || j == n-1:
			return 1
		case j < i:
			return -1
		}
		return 0
	})
}

// If elements grow, solutions and inverses are refined, and are as good as without growth; in place
// they come with a GrowthError.
func TestGrowth(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(62)
		for _, n := range []int{1, 17, 25, 40, 60} {
			a := wilkinson(n).T()
			if n != 40 {
				a = a.T()
			}
			var f LU
			f.Backend = bk
			testutil.NoError(t, f.Factorize(a.Dense()))
			columns, rows := testmat.Random(rng, n, 3), testmat.Random(rng, 300, n)
			near := func(name string, err error, got *mat.Dense, want *full) {
				t.Helper()
				testutil.NoError(t, err)
				tol := 1e-13
				if f.Growth() <= maxGrowth {
					tol = max(tol, f.Growth()*eps)
				}
				if d := testmat.Of(got).Sub(want).Norm(); !(d <= tol*want.Norm()) {
					t.Errorf("%s: n=%d: the error is %g of %g", name, n, d, want.Norm())
				}
			}
			var x mat.Dense
			near("SolveTo", f.SolveTo(&x, a.Mul(columns).Dense()), &x, columns)
			near("SolveTransTo", f.SolveTransTo(&x, a.T().Mul(columns).Dense()), &x, columns)
			var y mat.Dense
			near("SolveRowsTo", f.SolveRowsTo(&y, rows.Mul(a).Dense()), &y, rows)
			var z mat.Dense
			err := f.InverseTo(&z)
			near("InverseTo", err, testmat.Of(&z).Mul(a).Dense(), testmat.Identity(n))
			growth := f.Growth()
			in, err := f.InverseInPlace()
			testutil.NoError(t, err)
			if !testmat.SameBits(denseData(in), denseData(&z)) {
				t.Errorf("n=%d: InverseInPlace and InverseTo differ", n)
			}

			err = f.FactorizeInPlace(a.Dense())
			var grown *GrowthError
			if growth <= 1e5 {
				testutil.NoError(t, err)
				continue
			}
			for range 2 {
				if !errors.As(err, &grown) || grown.Growth != growth || grown.Backward != 0 {
					t.Errorf("n=%d: error %v with a growth of %g", n, err, growth)
				}
				err = f.SolveTo(&x, columns.Dense())
			}
		}
		// One of the two orders grows, by 2ⁿ⁻¹: libraries factor the transpose.
		var f, g LU
		f.Backend, g.Backend = bk, bk
		testutil.NoError(t, errors.Join(f.Factorize(wilkinson(50).Dense()), g.Factorize(wilkinson(50).T().Dense())))
		if got := max(f.Growth(), g.Growth()); got != 0x1p49 {
			t.Errorf("growth %g, want 2⁴⁹", got)
		}
		// Refinement leaves the small residual of an inverse on its side.
		ill := testmat.Func(15, 15, func(i, j int) float64 { return math.Pow(10, -0.8*float64(j)) * rng.NormFloat64() })
		ill = ill.Mul(testmat.Random(rng, 15, 15))
		both := testmat.Func(40, 40, func(i, j int) float64 {
			if i < 15 && j < 15 {
				return ill.At(i, j)
			}
			return testmat.Unless(i < 15 || j < 15) * wilkinson(25).At(max(i, 15)-15, max(j, 15)-15)
		})
		var z mat.Dense
		testutil.NoError(t, errors.Join(f.Factorize(both.Dense()), f.InverseTo(&z)))
		left, right := testmat.Of(&z), both
		if f.transposed() {
			left, right = right, left
		}
		checkRatio(t, "inverse", testmat.InverseRatio(left, right))
		// A refinement that does not converge says so.
		b := testmat.Random(rng, 400, 1)
		for _, a := range []*full{wilkinson(400), wilkinson(400).T()} {
			testutil.NoError(t, f.Factorize(a.Dense()))
			var x mat.Dense
			var grown *GrowthError
			if err := f.SolveTo(&x, b.Dense()); err == nil {
				checkRatio(t, "order 400", testmat.ResidualRatio(a, testmat.Of(&x), b))
			} else if !errors.As(err, new(*ConditionError)) && !(errors.As(err, &grown) && grown.Backward > maxGrowth*eps) {
				t.Error(err)
			}
		}
	})
}
