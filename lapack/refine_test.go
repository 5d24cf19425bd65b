package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/bigfloat"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"
)

// refinables returns the factorizations that exist for a matrix of a family.
func refinables(t *testing.T, bk blskernel.Backend, factored *full, of testmat.Family) (all []*factorization) {
	t.Helper()
	for _, f := range factorizations(t, bk) {
		if f.definite && !of.Definite || f.symmetric && !of.Symmetric {
			continue
		}
		if err := f.factorize(factored, false); !of.Singular || !errors.Is(err, ErrSingular) {
			testutil.NoError(t, err)
			all = append(all, f)
		}
	}
	return all
}

// An exactBounds holds what ErrorBounds estimates, for one column, in exact arithmetic.
type exactBounds struct {
	backward float64 // max |r|_i/(|A||x| + |b|)_i
	bound    float64 // ‖|A⁻¹|(|r| + (n+1) u (|A||x| + |b|))‖∞/‖x‖∞
	err      float64 // ‖x - x*‖∞/‖x‖∞
	hardness float64 // ‖|A||A⁻¹|‖∞ max(|A||x|)/min(|A||x|), for the theorem of Skeel and Higham
}

func exactly(a, x, b *full) []exactBounds {
	n := a.R
	solution, _ := bigfloat.Solve(a, b)
	inverse, _ := bigfloat.Solve(a, testmat.Identity(n))
	ba, bx, bb := bigfloat.Of(a), bigfloat.Of(x), bigfloat.Of(b)
	residuals, ax := bb.Add(-1, ba.Mul(bx)).Abs(), ba.Abs().Mul(bx.Abs())
	w := ax.Add(1, bb.Abs())
	bounds := inverse.Abs().Mul(residuals.Add(float64(n+1)*eps, w))
	errs := solution.Add(-1, bx).Abs()
	_, cond := ba.Abs().Mul(inverse.Abs()).Mul(bigfloat.Of(testmat.Func(n, 1, func(_, _ int) float64 { return 1 }))).Extremes()
	all := make([]exactBounds, x.C)
	for j := range all {
		e := &all[j]
		over := func(m *bigfloat.Matrix, by *big.Float) float64 {
			_, most := m.Column(j).Extremes()
			return bigfloat.Ratio(most, by)
		}
		for i := range n {
			if v := w.At(i, j); v.Sign() != 0 {
				e.backward = max(e.backward, bigfloat.Ratio(residuals.At(i, j), v))
			}
		}
		_, most := bx.Abs().Column(j).Extremes()
		e.bound, e.err, e.hardness = over(bounds, most), over(errs, most), math.Inf(1)
		if least, largest := ax.Column(j).Extremes(); least.Sign() > 0 {
			e.hardness = bigfloat.Float(cond) * bigfloat.Ratio(largest, least)
		}
	}
	return all
}

// refineGallery lists matrices on which refinement has something to do: badly scaled and
// ill-conditioned ones.
func refineGallery() []testmat.Family {
	var g []testmat.Family
	for _, step := range []float64{-0.8, 0.8} {
		g = append(g, testmat.Family{Name: fmt.Sprint("graded", step), Symmetric: true, Definite: true, Of: func(rng *rand.Rand, n int) *full {
			a := testmat.Spectral(rng, n, testmat.From1)
			return testmat.Sym(n, func(i, j int) float64 { return a.At(i, j) * math.Pow(10, step*float64(i+j)) })
		}})
	}
	for _, m := range testmat.Symmetric() {
		switch m.Name {
		case "random", "saddle", "zero-diagonal", "spd-1e+02", "spd-1e+10", "spd-1e+14", "near-singular",
			"scaled-1e+150", "scaled-1e-150", "spd-scaled-1e+150", "spd-scaled-1e-150":
			g = append(g, m)
		}
	}
	return g
}

// testRefineBounds tests a matrix with three columns, and returns to how many theorem 12.4 applies.
func testRefineBounds(t *testing.T, name string, f *factorization, a *full, rng *rand.Rand) (proven int) {
	t.Helper()
	n := a.R
	b := testmat.Random(rng, n, 3)
	for i := range n {
		b.Set(i, 0, a.Norm()*b.At(i, 0))
		b.Set(i, 1, a.At(i, 0)+a.At(i, n-1)) // the solution has one or two ones, and zeros
	}
	var x mat.Dense
	if err := f.SolveTo(&x, b.Dense()); !withResult(err) {
		t.Fatalf("%s: %v", name, err)
	}
	before := exactly(a, testmat.Of(&x), b)
	got, err := f.refine(&x, a, b.Dense())
	testutil.NoError(t, err)
	for j, want := range exactly(a, testmat.Of(&x), b) {
		tol := 1.01 * float64(n+1) * eps
		if !(math.Abs(got.Backward[j]-want.backward) <= tol) {
			t.Errorf("%s: column %d: Backward is %.3g, exactly %.3g", name, j, got.Backward[j], want.backward)
		}
		if !(want.backward <= before[j].backward+2*tol) {
			t.Errorf("%s: column %d: the backward error grew from %.3g to %.3g", name, j, before[j].backward, want.backward)
		}
		if want.hardness*float64(n+1)*eps <= 0.01 {
			proven++
			if !(got.Backward[j] <= 2*tol) {
				t.Errorf("%s: column %d: Backward is %.3g after refinement", name, j, got.Backward[j])
			}
		}
		// If the bound is above 1, which says that no digit is right, the solves have none.
		if want.bound > 0.1 {
			if !(got.Forward[j] > 0.01) {
				t.Errorf("%s: column %d: Forward is %.3g, exactly %.3g", name, j, got.Forward[j], want.bound)
			}
		} else if !(got.Forward[j] >= want.bound/6) || !(got.Forward[j] <= 2.1*want.bound) {
			t.Errorf("%s: column %d: Forward is %.3g, exactly %.3g", name, j, got.Forward[j], want.bound)
		}
		if !(want.err <= got.Forward[j]) {
			t.Errorf("%s: column %d: the error is %.3g, Forward %.3g", name, j, want.err, got.Forward[j])
		}
	}
	return proven
}

// The bounds agree with exact arithmetic. In floating point r is off by at most (n+1)u w, w = |A||x| +
// |b|, to first order, and so Backward by (n+1)u. For the same reason the vector |r| + (n+1)u w of
// Forward lies between a half and twice the exact one; and the estimate of a norm is at least a third
// of it (the estimator of Higham; on random matrices), and exact but for the errors of the solves.
func TestRefineBounds(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(51)
		columns, proven := 0, 0
		for _, n := range []int{1, 2, 3, 5, 8, 13} {
			for _, m := range append(refineGallery(), testmat.Unsymmetric()...) {
				a := m.Of(rng, n)
				for _, f := range refinables(t, bk, a, m) {
					columns += 3
					proven += testRefineBounds(t, fmt.Sprintf("%s: %s: n=%d", m.Name, f.name, n), f, a, rng)
				}
			}
		}
		if proven < columns/2 {
			t.Errorf("theorem 12.4 applies to %d of %d columns only", proven, columns)
		}
	})
}

// The step itself: an x that is wrong in the fifth digit becomes right to as many digits more as the
// solver has, and a step that leads away from the solution is not taken.
func TestRefineStep(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng, definite := testutil.Rand(52), testmat.Family{Symmetric: true, Definite: true}
		for _, n := range []int{1, 2, 17, 64, 129, 200} {
			a := testmat.Spectral(rng, n, func(i int) float64 { return 1 + float64(i%7) })
			columns := 4
			if n == 17 {
				columns = condition.RefinePanel + 3 // more than a panel
			}
			exact := testmat.Func(n, columns, func(_, _ int) float64 { return float64(rng.IntN(19) - 9) })
			b := a.Mul(exact)
			for _, f := range refinables(t, bk, a, definite) {
				x, intact := wide(t, exact)
				for i := range n {
					for j := range columns - 1 {
						x.Set(i, j, x.At(i, j)+1e-5*rng.NormFloat64())
					}
				}
				bounds, err := f.refine(x, a, b.Dense())
				testutil.NoError(t, err)
				intact()
				for j := range columns {
					got, want := testmat.Of(x).Column(j), exact.Column(j)
					// The condition number is 7, so that the step reduces the error
					// to c n u 7 of itself.
					if !(got.Sub(want).Norm() <= 1e-12*max(1, want.Norm())) {
						t.Errorf("%s: n=%d: column %d: error %.3g", f.name, n, j, got.Sub(want).Norm())
					}
					if !(bounds.Backward[j] <= 2.1*float64(n+1)*eps) || !(bounds.Forward[j] <= 100*float64(n+1)*eps*float64(n)) {
						t.Errorf("%s: n=%d: column %d: bounds %.3g, %.3g", f.name, n, j, bounds.Backward[j], bounds.Forward[j])
					}
				}
			}
			// With the factors of A/4 a step is four times too long, and triples the error.
			// The start is left, whose backward error is large enough for many digits.
			quarter := a.Scaled(0.25)
			start := exact.Sub(testmat.Func(n, columns, func(_, _ int) float64 { return -1e-5 * (1 + rng.Float64()) }))
			r, w := b.Sub(a.Mul(start)), a.Abs().Mul(start.Abs())
			for _, f := range refinables(t, bk, quarter, definite) {
				x := start.Dense()
				bounds, err := f.refine(x, a, b.Dense())
				testutil.NoError(t, err)
				if !testmat.SameBits(x.RawMatrix().Data, start.X) {
					t.Errorf("%s: n=%d: a step that makes the backward error worse was taken", f.name, n)
				}
				for j, got := range bounds.Backward {
					want := 0.0
					for i := range n {
						want = max(want, math.Abs(r.At(i, j))/(w.At(i, j)+math.Abs(b.At(i, j))))
					}
					if !(math.Abs(got-want) <= 1e-6*want) || !(want > 1e-9) {
						t.Errorf("%s: n=%d: column %d: Backward is %.9g, want %.9g", f.name, n, j, got, want)
					}
					// The error is at least 1e-5, and x at most 9 in magnitude.
					if !(bounds.Forward[j] >= 1e-6) {
						t.Errorf("%s: n=%d: column %d: Forward is %.3g of a solution that is not refined",
							f.name, n, j, bounds.Forward[j])
					}
				}
			}
		}
	})
}

// The bounds are right for zeros, where their definition divides by zero, and for overflow.
func TestRefineExtremes(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, f := range factorizations(t, bk) {
			testutil.NoError(t, f.factorize(testmat.Identity(3), false))
			// The columns: b = 0, a unit vector, and an x that is wrong.
			b := mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 2, 0, 0, 0})
			x := mat.NewDense(3, 3, []float64{0, 1, 5, 0, 0, 0, 0, 0, 7})
			bounds, err := f.refine(x, testmat.Identity(3), b)
			testutil.NoError(t, err)
			if !testmat.SameBits(x.RawMatrix().Data, b.RawMatrix().Data) {
				t.Errorf("%s: X = %v", f.name, x.RawMatrix().Data)
			}
			// Exact solutions have no residual; 4u(|A||x| + |b|) = 8u|x| remains.
			if !slices.Equal(bounds.Backward, []float64{0, 0, 0}) || !slices.Equal(bounds.Forward, []float64{0, 8 * eps, 8 * eps}) {
				t.Errorf("%s: bounds %v", f.name, bounds)
			}

			huge := testmat.From(3, 1, 1e308, -1e308, 1e308)
			x, b = huge.Dense(), testmat.New(3, 1).Sub(huge).Dense()
			bounds, err = f.refine(x, testmat.Identity(3), b)
			testutil.NoError(t, err)
			if !testmat.SameBits(x.RawMatrix().Data, huge.X) || !math.IsInf(bounds.Backward[0], 1) || !math.IsInf(bounds.Forward[0], 1) {
				t.Errorf("%s: overflow: %v, X = %v", f.name, bounds, x.RawMatrix().Data)
			}
		}
		// A row whose products with x underflow: the solution is (1, 0).
		tiny := mat.NewDense(2, 2, []float64{1, 0, 0, 1e-200})
		small, far := LU{Backend: bk}, mat.NewDense(2, 1, []float64{1, 1e-150})
		testutil.NoError(t, small.Factorize(tiny))
		if e, err := small.Refine(far, tiny, mat.NewDense(2, 1, []float64{1, 0})); err != nil || far.At(1, 0) != 0 && !(e.Backward[0] >= 0.5) {
			t.Errorf("underflow: x = %v, %v, %v", far.RawMatrix().Data, e, err)
		}
		// An x of zeros that no step improves, since -A was factored.
		f := LU{Backend: bk}
		testutil.NoError(t, f.Factorize(mat.NewDense(1, 1, []float64{-2})))
		bounds, err := f.Refine(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, []float64{3}))
		if err != nil || bounds.Backward[0] != 1 || !math.IsInf(bounds.Forward[0], 1) {
			t.Errorf("x = 0: %v, %v", bounds, err)
		}
		for _, v := range [][2]float64{{3e10, 1e-310}, {3e300, 1e-10}, {1e24, 1e-290}} { // x is subnormal
			a, x, b := mat.NewDense(1, 1, v[:1]), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, v[1:])
			testutil.NoError(t, errors.Join(f.Factorize(a), f.SolveTo(x, b)))
			bounds, err := f.Refine(x, a, b)
			if lost := math.Abs(math.FMA(v[0], x.At(0, 0), -v[1])) / (v[0] * x.At(0, 0)); err != nil || !(lost <= bounds.Forward[0]) {
				t.Errorf("%v x = %v: an error of %v, %v, %v", v[0], v[1], lost, bounds, err)
			}
		}
	})
}
