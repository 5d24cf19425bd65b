package blsupdate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// stable are the configurations whose error grows like eps κ.
var stable = []variant{{Original, Auto, false}, {Improved, Small, false}, {Improved, Small, true}, {Improved, Compressed, false}}

// TestSquareStart begins with as many random rows as nodes, where the condition number and the
// leverage of new rows are large. The error of A⁺ is absolute in the first A⁺: relative to the last
// one it may be larger by the ratio of their norms.
func TestSquareStart(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(11, seed))
			k := 1 + r.IntN(15)
			q := k * (1 + r.IntN(2))
			cfg := stable[r.IntN(len(stable))]
			h := begin(t, cfg.method, testutil.Random(r, k, k), testutil.Random(r, k, 1), Options{Form: cfg.form, Solve: cfg.solve, C: []CMode{CAuto, CCheck}[seed%2], Backend: b})
			before := h.u.Pseudoinverse().Norm(2)
			h.add(testutil.Random(r, q, k), testutil.Random(r, q, 1))
			got, tol, norm := h.error()
			if tol *= max(1, before/norm); !(got <= tol) || h.u.Report().RankC != 0 {
				t.Errorf("seed %d, k=%d q=%d %v: error %g, bound %g, rank of C %d", seed, k, q, cfg, got, tol, h.u.Report().RankC)
			}
		}
	})
}

// TestNearlyRepeatedRows adds to a wide A rows that are nearly rows of it, which makes the row space
// ill-conditioned, and then enough others: the error must not grow faster than eps κ.
func TestNearlyRepeatedRows(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, delta := range []float64{1e-3, 1e-5, 1e-7} {
			for _, cfg := range configurations {
				if cfg.form == Large || cfg.form == Paper {
					if delta < 1e-3 {
						continue // eps κ² is of order 1 for the Large form
					}
				}
				r, a, y := problem(12, 0, 4, 12, 1)
				h := begin(t, cfg.method, a, y, Options{Form: cfg.form, Solve: cfg.solve, Backend: b})
				h.squared = false
				near := scaled(testutil.Random(r, 2, 12), delta)
				near.Add(near, a.Slice(1, 3, 0, 12))
				norms := h.u.Pseudoinverse().Norm(2)
				for _, ax := range []*mat.Dense{near, testutil.Random(r, 20, 12), testutil.Random(r, 20, 12)} {
					h.add(ax, testutil.Random(r, dense.Rows(ax), 1))
					norms = max(norms, h.u.Pseudoinverse().Norm(2))
				}
				// The error is absolute in the largest A⁺ on the way; a constant of 3
				// does for 10.
				got, tol, norm := h.error()
				if tol *= 0.3 * norms / norm; !(got <= tol) {
					t.Errorf("delta=%g %s: error %g, bound %g", delta, cfg.String(), got, tol)
				}
			}
		}
	})
}

// TestLargeBatches adds batches of rows that are large in the same direction, in nearly the same, of
// both signs, or each in its own, with and without room for D. Up to a norm of 1e3 DᵀD is formed, with
// an error of eps‖DᵀD‖, at most 32 eps κ as ‖D‖ is at most κ; from there on the error is less.
func TestLargeBatches(t *testing.T) {
	const l, k, q = 20, 5, 7
	kinds := map[string]func(size, common, own float64, i int) float64{
		"same":      func(size, common, own float64, i int) float64 { return size * common },
		"near":      func(size, common, own float64, i int) float64 { return size*common + own },
		"some":      func(size, common, own float64, i int) float64 { return size*common*float64(i%2) + own*math.Sqrt(size) },
		"each":      func(size, common, own float64, i int) float64 { return size * own },
		"opposite":  func(size, common, own float64, i int) float64 { return size * common * float64(1-i%2*2) },
		"different": func(size, common, own float64, i int) float64 { return math.Pow(size, float64(i)/(q-1)) * own },
	}
	for name, kind := range kinds {
		for _, cfg := range stable {
			backends.On(t, func(t *testing.T, b blskernel.Backend) {
				for exponent := range 9 { // the reference takes 1e-10 for zero
					for seed := range uint64(4) {
						r := rand.New(rand.NewPCG(22, seed))
						a, ax, common := testutil.WithCondition(r, l, k, 10), testutil.Random(r, q, k), testutil.Random(r, 1, k)
						for i := range q {
							for j := range k {
								ax.Set(i, j, kind(math.Pow(10, float64(exponent)), common.At(0, j), ax.At(i, j), i))
							}
						}
						opt := Options{Form: cfg.form, Solve: cfg.solve, Workspace: -int64(seed % 2), Backend: b}
						h := begin(t, cfg.method, a, testutil.Random(r, l, 1), opt)
						h.add(ax, testutil.Random(r, q, 1))
						if exponent > 3 && opt.Workspace == 0 && !slices.ContainsFunc(h.u.Report().Steps, func(s StepReport) bool { return s.line.Step == cost.StepOrthogonal }) {
							t.Errorf("%s, 1e%d, %v: D was not factored", name, exponent, cfg)
						}
						if got, tol, _ := h.error(); !(got <= tol) {
							t.Errorf("%s, 1e%d, %v, workspace %d: error %g, bound %g", name, exponent, cfg, opt.Workspace, got, tol)
						}
					}
				}
			})
		}
	}
}

// TestViews gives matrices that are parts of larger ones, which hold NaN elsewhere: the results are
// the same, and the matrices are neither changed nor kept.
func TestViews(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r, a, y := problem(16, 0, 12, 5, 2)
		given := []*mat.Dense{a, y, testutil.Random(r, 8, 5), testutil.Random(r, 8, 2)}
		var views []*mat.Dense
		for _, m := range given {
			rows, cols := m.Dims()
			big := mat.NewDense(rows+2, cols+3, slices.Repeat([]float64{math.NaN()}, (rows+2)*(cols+3)))
			view := big.Slice(1, rows+1, 2, cols+2).(*mat.Dense)
			view.Copy(m)
			views = append(views, view)
		}
		plain, parts := v.start(t, b, a, y, 0), v.start(t, b, views[0], views[1], 0)
		do(t, plain, plain.AddInputs(given[2], given[3]))
		do(t, parts, parts.AddInputs(views[2], views[3]))
		w := weights(t, parts)
		weights(t, plain)
		checkSame(t, "views", parts, plain)
		before := digest(parts)
		for i, m := range views {
			if !gonummat.Equal(m, given[i]) {
				t.Errorf("matrix %d was changed", i)
			}
			m.Zero()
		}
		w.Zero()
		checkUnchanged(t, parts, before)
	})
}

// TestRankDecisions has singular values on both sides of the tolerances, at the start and in C.
func TestRankDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 0))
	for kappa, want := range map[float64]int{1e12: 9, 1e17: 8} {
		a := testutil.WithCondition(r, 30, 9, kappa)
		if kappa > 1e16 { // one singular value of rounding noise and no others near it
			a = testutil.RandomRank(r, 30, 9, 8)
		}
		u := mustNew(t, Improved, a, testutil.Random(r, 30, 1), Options{})
		if got := rankOf(u); got != want {
			t.Errorf("condition %g: rank %d, want %d", kappa, got, want)
		}
	}
	for distance, want := range map[float64]int{1e-11: 1, 1e-16: 0} {
		a := testutil.Random(r, 5, 8)
		var inside mat.Dense
		inside.Mul(testutil.Random(r, 1, 5), a)
		away := scaled(testutil.Random(r, 1, 8), distance)
		inside.Add(&inside, away)
		u := mustNew(t, Improved, a, testutil.Random(r, 5, 1), Options{})
		must(t, u.AddInputs(&inside, testutil.Random(r, 1, 1)))
		if got := u.Report().RankC; got != want {
			t.Errorf("a row %g away from the row space: rank of C is %d, want %d", distance, got, want)
		}
	}
}

// TestCondition compares Condition with the largest norms of A and A⁺ so far.
func TestCondition(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	squared := mustNew(t, Improved, testutil.Random(r, 9, 6), testutil.Random(r, 9, 1), Options{Form: Large})
	do(t, squared, squared.AddInputs(testutil.Random(r, 1, 6), testutil.Random(r, 1, 1)))
	if _, power := driverOf(squared).state.Condition(); power != 2 {
		t.Errorf("power %d after the form Large", power)
	}
	squared.Report().Steps[0].Model = -1
	if squared.Report().Steps[0].Model == -1 {
		t.Error("a caller can write to the report of an updater")
	}
	for _, l := range []int{3, 20} {
		a := testutil.Random(r, l, 6)
		u := mustNew(t, Improved, a, testutil.Random(r, l, 1), Options{})
		plus, _ := pinvOf(a)
		largestA, largestPlus := a.Norm(2), plus.Norm(2)
		for range 3 {
			// All rows are new in the first update of a wide start.
			ax := testutil.Random(r, 3, 6)
			must(t, u.AddInputs(ax, testutil.Random(r, 3, 1)))
			a = stack(a, ax)
			plus, _ = pinvOf(a)
			largestA, largestPlus = max(largestA, a.Norm(2)), max(largestPlus, plus.Norm(2))
		}
		if _, power := driverOf(u).state.Condition(); power != 1 {
			t.Errorf("l=%d: power %d without the form Large", l, power)
		}
		if got, want := u.Condition().RCond, 1/(largestA*largestPlus); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("l=%d: reciprocal condition %v, want %v", l, got, want)
		}
	}
}
