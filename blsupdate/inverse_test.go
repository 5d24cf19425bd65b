package blsupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
)

// inverses are the methods that keep an inverse, in both forms.
var inverses = []variant{
	{RidgeInverse, Small, false}, {RidgeInverse, Large, false},
	{InverseCholesky, Small, false}, {InverseCholesky, Large, false},
}

func eachInverse(t *testing.T, f func(t *testing.T, v variant, opt Options)) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, v := range inverses {
			t.Run(v.String(), func(t *testing.T) { f(t, v, Options{Form: v.form, Backend: b}) })
		}
	})
}

// inverseBound is the bound on the relative error of W after l rows: 10 sqrt(l) eps κ for F, and with
// κ² for Q. κ belongs to the worst state, ‖[A; sqrt(lambda) I]‖ after all rows times the largest ‖F‖ on
// the way.
func (v variant) inverseBound(l int, kappa float64) float64 {
	if v.method == RidgeInverse {
		kappa *= kappa
	}
	return 10 * math.Sqrt(float64(l)) * dense.Eps * kappa
}

// worstKappa is that κ for additions, with which ‖F‖ only shrinks.
func worstKappa(start, all *mat.Dense, lambda float64) float64 {
	_, all2 := extremes(all, lambda)
	least, _ := extremes(start, lambda)
	return all2 / least
}

// extremes returns the smallest and the largest singular value of [A; sqrt(lambda) I].
func extremes(a *mat.Dense, lambda float64) (least, most float64) {
	l, k := a.Dims()
	_, values := pinvOf(a)
	if len(values) < min(l, k) || l < k {
		least = 0
	} else {
		least = values[len(values)-1]
	}
	if len(values) > 0 {
		most = values[0]
	}
	return math.Hypot(least, math.Sqrt(lambda)), math.Hypot(most, math.Sqrt(lambda))
}

// checkSteps compares the report of the last action, step by step, with the model of it.
func checkSteps(t *testing.T, u Updater, model []StepFlops) {
	t.Helper()
	checkReport(t, u)
	steps := u.Report().Steps
	if len(steps) != len(model) {
		t.Fatalf("%d steps, %d in the model", len(steps), len(model))
	}
	for i, s := range steps {
		if s.Step != model[i].Step || s.Model != model[i].Flops() || s.Formula != model[i].Formula {
			t.Errorf("step %d is %q with %g flops, %q with %g in the model", i, s.Step, s.Model, model[i].Step, model[i].Flops())
		}
	}
}

func TestInverseWeights(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 17, 3
		for _, kappa := range []float64{10, 1e4, 1e6, 1e8} {
			if v.method == RidgeInverse && kappa > 1e6 {
				continue
			}
			for _, lambda := range []float64{0, 0x1p-30, 1e-6, 1e-3, 1} {
				opt.Lambda = lambda
				r, a, y := conditioned(50, uint64(kappa), 40, k, c, kappa)
				u := started(t, v.method, a, y, opt)
				checkSteps(t, u, Model(v.method, ActionStart, opt, Shape{L: 40, K: k, C: c, Start: u.Report().Start}))
				start := a
				check := func() {
					t.Helper()
					bound := v.inverseBound(dense.Rows(a), worstKappa(start, a, lambda))
					checkWeights(t, u, a, y, lambda, bound, kappa, lambda)
				}
				check()
				// Woodbury takes 70 rows in two blocks.
				for _, q := range []int{1, 5, 70} {
					ax, ya := testutil.WithCondition(r, max(q, k), k, kappa), testutil.Random(r, q, c)
					ax = dense.RowRange(ax, 0, q)
					must(t, u.AddInputs(ax, ya))
					model := Model(v.method, ActionAdd, opt, Shape{L: dense.Rows(a), K: k, Q: q, C: c})
					// Rows of large leverage.
					if u.Report().Steps[2].Formula == "2qk² + 4cqk" {
						model = stepFlops(append([]cost.StepFlops{cost.Check(q, k, c)}, cost.CholeskyAdd(api.Large, q, k, c, true)...))
					}
					checkSteps(t, u, model)
					if got := u.Report().Form; got != v.form {
						t.Errorf("form %v", got)
					}
					a, y = stack(a, ax), stack(y, ya)
				}
				check()
				checkTriangles(t, u)
			}
		}
	})
}

// checkTriangles makes sure that L is zero above its diagonal. Of Q there is one triangle only.
func checkTriangles(t *testing.T, u Updater) {
	t.Helper()
	if s, ok := driverOf(u).state.(*cholesky.State); ok {
		for i := range s.K {
			for j := i + 1; j < s.K; j++ {
				if math.Float64bits(s.L.At(i, j)) != 0 {
					t.Fatalf("element (%d,%d) of L is %v", i, j, s.L.At(i, j))
				}
			}
		}
	}
}

// TestInverseLargeRows adds fewer rows than nodes that are many times larger than those before, and
// ordinary rows after them. The errors of Woodbury and Carlson are as with ordinary rows: 100 times the
// bound at the κ = 10 that the rows have before they are scaled. That of the form Large is within the
// bound at the κ of all rows.
func TestInverseLargeRows(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		if v.method == RidgeInverse && v.form == Large {
			return
		}
		const k, c = 12, 2
		for _, size := range []float64{1e4, 1e6} {
			for _, q := range []int{1, 4} {
				r, a, y := conditioned(51, uint64(q), 40, k, c, 10)
				u := started(t, v.method, a, y, opt)
				ax, ya := scaled(testutil.Random(r, q, k), size), testutil.Random(r, q, c)
				bx, by := testutil.WithCondition(r, 20, k, 10), testutil.Random(r, 20, c)
				for _, batch := range [][2]*mat.Dense{{ax, ya}, {bx, by}} {
					must(t, u.AddInputs(batch[0], batch[1]))
					checkReport(t, u)
					a, y = stack(a, batch[0]), stack(y, batch[1])
					bound := 1000 * math.Sqrt(float64(dense.Rows(a))) * dense.Eps * 10
					if v.form == Large {
						bound = v.inverseBound(dense.Rows(a), worstKappa(dense.RowRange(a, 0, 40), a, 0))
					}
					checkWeights(t, u, a, y, 0, bound, size, q)
				}
			}
		}
	})
}

// TestInverseRefusesStart has rows that do not determine the inverse.
func TestInverseRefusesStart(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		r := rand.New(rand.NewPCG(59, 0))
		if _, err := New(v.method, testutil.Random(r, 4, 5), testutil.Random(r, 4, 1), opt); !is[*RankError](err) {
			t.Errorf("fewer rows than nodes: %v", err)
		}
		var ill *ConditionError
		singular := map[string]*mat.Dense{
			"rank 3": testutil.RandomRank(r, 20, 5, 3), "zeros": mat.NewDense(20, 5, nil), "κ 1e18": testutil.WithCondition(r, 20, 5, 1e18),
		}
		for name, a := range singular {
			if _, err := New(v.method, a, testutil.Random(r, 20, 1), opt); !errors.As(err, &ill) || len(ill.Instead) == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestInverseOverflow adds rows whose products overflow only inside, where the state would be changed
// in place.
func TestInverseOverflow(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 5, 2
		r, a, y := problem(60, 0, 20, k, c)
		a.Scale(1e-100, a)
		if v.method == RidgeInverse {
			opt.Lambda = 1e-205
		}
		u := started(t, v.method, a, y, opt)
		for _, q := range []int{1, 3, 200} {
			for _, size := range [][2]float64{{1e60, 1}, {1e120, 1e150}, {1e100, 1e200}, {1e-80, 1e300}} {
				// The last row, so that others have been added when it comes.
				ax, ya := scaled(testutil.Random(r, q, k), 1e-100), testutil.Random(r, q, c)
				floats.Scale(size[0]*1e100, ax.RawRowView(q-1))
				floats.Scale(size[1], ya.RawRowView(q-1))
				before := digest(u)
				err := u.AddInputs(ax, ya)
				if err == nil {
					if isfinite.First(weights(t, u).RawMatrix().Data) >= 0 {
						t.Fatalf("q=%d, %v: W is not finite", q, size)
					}
					if _, err := leveragesOf(u, dense.RowRange(a, 0, 1)); err != nil {
						t.Fatalf("q=%d, %v: the state is not finite: %v", q, size, err)
					}
					u, _ = New(v.method, a, y, opt)
					continue
				}
				if !errors.Is(err, ErrOverflow) && !is[*ConditionError](err) {
					t.Errorf("q=%d, %v: %v", q, size, err)
				}
				checkUnchanged(t, u, before, q, size)
			}
		}
	})
}
