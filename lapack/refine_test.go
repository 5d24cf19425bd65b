package lapack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// The bounds against exact arithmetic. In floating-point r is off by at most (n+1)u w, w = |A||x| +
// |b|, to first order, and so Backward by (n+1)u. For the same reason the vector |r| + (n+1)u w of
// Forward lies between a half and twice the exact one; and the estimate of a norm is at least a third
// of it (the estimator of Higham; on random matrices), and exact but for the errors of the solves.
func TestRefineBounds(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(51)
		columns, proven := 0, 0
		for _, n := range []int{1, 2, 3, 5, 8, 13} {
			for _, m := range refineGallery() {
				a := m.of(rng, n)
				for _, f := range refinables(t, bk, a, m.definite) {
					columns += 3
					proven += testRefineBounds(t, fmt.Sprintf("%s: %s: n=%d", m.name, f.name, n), f, a, rng)
				}
			}
			for _, m := range generalFamilies() {
				a, f := m.of(rng, n), factorizations(t, bk)[2]
				if err := f.factorize(a, false); m.singular && errors.Is(err, ErrSingular) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				columns += 3
				proven += testRefineBounds(t, fmt.Sprintf("%s: n=%d", m.name, n), f, a, rng)
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
		rng := testutil.Rand(52)
		for _, n := range []int{1, 2, 17, 64, 129, 200} {
			a := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%7) })
			exact := newFull(n, 4)
			for i := range exact.x {
				exact.x[i] = float64(rng.IntN(19) - 9)
			}
			b := a.mul(exact)
			for _, f := range refinables(t, bk, a, true) {
				x, intact := wide(t, exact)
				for i := range n {
					for j := range 3 {
						x.Set(i, j, x.At(i, j)+1e-5*rng.NormFloat64())
					}
				}
				bounds, err := f.refine(x, a, b.dense())
				testutil.NoError(t, err)
				intact()
				for j := range 4 {
					got, want := fullOf(x).column(j), exact.column(j)
					// The condition number is 7, so that the step reduces the error
					// to c n u 7 of itself.
					if !(got.sub(want).norm() <= 1e-12*max(1, want.norm())) {
						t.Errorf("%s: n=%d: column %d: error %.3g", f.name, n, j, got.sub(want).norm())
					}
					if !(bounds.Backward[j] <= 2.1*float64(n+1)*eps) || !(bounds.Forward[j] <= 100*float64(n+1)*eps*float64(n)) {
						t.Errorf("%s: n=%d: column %d: bounds %.3g, %.3g", f.name, n, j, bounds.Backward[j], bounds.Forward[j])
					}
				}
			}
			// With the factors of A/4 a step is four times too long, and triples the error.
			// What is left is the start, whose backward error is large enough to be known
			// to many digits.
			quarter, start := newFull(n, n), newFull(n, 4)
			for i, v := range a.x {
				quarter.x[i] = v / 4
			}
			for i, v := range exact.x {
				start.x[i] = v + 1e-5*(1+rng.Float64())
			}
			r, w := b.sub(a.mul(start)), magnitudes(a).mul(magnitudes(start))
			for _, f := range refinables(t, bk, quarter, true) {
				x := start.dense()
				bounds, err := f.refine(x, a, b.dense())
				testutil.NoError(t, err)
				if !sameBits(x.RawMatrix().Data, start.x) {
					t.Errorf("%s: n=%d: a step that makes the backward error worse was taken", f.name, n)
				}
				for j, got := range bounds.Backward {
					want := 0.0
					for i := range n {
						want = max(want, math.Abs(r.at(i, j))/(w.at(i, j)+math.Abs(b.at(i, j))))
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

// Many columns, more than a panel, are the same as one by one but for the order of sums: the backward
// error by (n+1)u twice, the bounds by the factor of TestRefineBounds for their weights.
func TestRefineColumns(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n, nrhs = 41, lapack.RefinePanel + 3
		rng := testutil.Rand(53)
		a := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i*i) })
		b := randomFull(rng, n, nrhs)
		for _, f := range refinables(t, bk, a, true) {
			x, intact := wide(t, newFull(n, nrhs))
			testutil.NoError(t, f.SolveTo(x, b.dense()))
			start := fullOf(x)
			all, err := f.refine(x, a, b.dense())
			testutil.NoError(t, err)
			intact()
			if len(all.Backward) != nrhs || len(all.Forward) != nrhs {
				t.Fatalf("%d and %d bounds", len(all.Backward), len(all.Forward))
			}
			for _, j := range []int{0, 1, 100, lapack.RefinePanel - 1, lapack.RefinePanel, nrhs - 1} {
				xj := start.column(j).dense()
				one, err := f.refine(xj, a, b.column(j).dense())
				testutil.NoError(t, err)
				if d := all.Backward[j] - one.Backward[0]; !(math.Abs(d) <= 2.1*(n+1)*eps) {
					t.Errorf("%s: column %d: Backward %.3g among others, %.3g alone", f.name, j, all.Backward[j], one.Backward[0])
				}
				if r := all.Forward[j] / one.Forward[0]; !(r <= 4 && r >= 0.25) {
					t.Errorf("%s: column %d: Forward %.3g among others, %.3g alone", f.name, j, all.Forward[j], one.Forward[0])
				}
				if d := fullOf(x).column(j).sub(fullOf(xj)).norm(); !(d <= n*(all.Forward[j]+one.Forward[0])*start.column(j).norm()) {
					t.Errorf("%s: column %d: solutions differ by %.3g", f.name, j, d)
				}
			}
		}
	})
}

// Zeros, where the definition of the bounds divides by zero, and overflow.
func TestRefineExtremes(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, f := range factorizations(t, bk) {
			testutil.NoError(t, f.factorize(identity(3), false))
			// The columns: b = 0, a unit vector, and an x that is wrong.
			b := mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 2, 0, 0, 0})
			x := mat.NewDense(3, 3, []float64{0, 1, 5, 0, 0, 0, 0, 0, 7})
			bounds, err := f.refine(x, identity(3), b)
			testutil.NoError(t, err)
			if !sameBits(x.RawMatrix().Data, b.RawMatrix().Data) {
				t.Errorf("%s: X = %v", f.name, x.RawMatrix().Data)
			}
			// The exact solutions have no residual; 4u(|A||x| + |b|) = 8u|x| is what
			// remains.
			if !slices.Equal(bounds.Backward, []float64{0, 0, 0}) || !slices.Equal(bounds.Forward, []float64{0, 8 * eps, 8 * eps}) {
				t.Errorf("%s: bounds %v", f.name, bounds)
			}

			huge := &full{3, 1, []float64{1e308, -1e308, 1e308}}
			x, b = huge.dense(), newFull(3, 1).sub(huge).dense()
			if bounds, err = f.refine(x, identity(3), b); err != nil {
				t.Fatal(err)
			}
			if !sameBits(x.RawMatrix().Data, huge.x) || !math.IsInf(bounds.Backward[0], 1) || !math.IsInf(bounds.Forward[0], 1) {
				t.Errorf("%s: overflow: %v, X = %v", f.name, bounds, x.RawMatrix().Data)
			}
		}
		// An x of zeros that no step improves, since the factors are those of -A.
		f := LU{Backend: bk}
		testutil.NoError(t, f.Factorize(mat.NewDense(1, 1, []float64{-2})))
		bounds, err := f.Refine(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, []float64{3}))
		if err != nil || bounds.Backward[0] != 1 || !math.IsInf(bounds.Forward[0], 1) {
			t.Errorf("x = 0: %v, %v", bounds, err)
		}
	})
}
