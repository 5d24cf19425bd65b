package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestInverseForgetting multiplies the state until the gain has to go into the matrix, and on.
func TestInverseForgetting(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 6, 2
		opt.Lambda = 0.5
		r, a, y := problem(54, 0, 20, k, c)
		u := started(t, v.method, a, y, opt)
		for range 13 {
			w := weights(t, u)
			must(t, u.Forget(0x1p-40))
			if relative(weights(t, u), w) != 0 {
				t.Error("forgetting changes W")
			}
		}
		if got := u.Lambda(); got != 0.5*0x1p-520 {
			t.Errorf("lambda is %g", got)
		}
		small := 0x1p-260
		a.Scale(small, a)
		y.Scale(small, y)
		for range 2 {
			ax, ya := scaled(testutil.Random(r, 3, k), small), scaled(testutil.Random(r, 3, c), small)
			must(t, u.AddInputs(ax, ya))
			a, y = stack(a, ax), stack(y, ya)
		}
		checkWeights(t, u, a, y, 0.5*0x1p-520, v.inverseBound(26, 20))

		must(t, u.Forget(0.25))
		h := testutil.Random(r, 26, 2)
		for _, m := range []*mat.Dense{a, y} {
			m.Scale(0.5, m)
		}
		h.Scale(small, h)
		must(t, u.AddNodes(a, h, y))
		ax, ya := scaled(testutil.Random(r, 3, k+2), small), scaled(testutil.Random(r, 3, c), small)
		must(t, u.AddInputs(ax, ya))
		checkWeights(t, u, stack(dense.Beside(a, h), ax), stack(y, ya), u.Lambda(), v.inverseBound(29, 20), "more nodes")

		for left := 20; ; left-- {
			before := digest(u)
			err := u.Forget(0x1p-300)
			if err == nil && left > 0 {
				continue
			}
			overflows(t, u, before, err)
			break
		}
	})
}

// TestInverseRemoval removes rows without which a column of A is nearly zero. The errors are those of
// the state before, and what the removal makes of the last bit: 1e3 eps/(1-h).
func TestInverseRemoval(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c, l = 12, 2, 60
		for _, rest := range []float64{1, 1e-4, 1e-6} {
			for _, q := range []int{1, 3, 15, 150} {
				r, a, y := problem(55, uint64(q), l, k, c)
				for i := range l {
					a.Set(i, 0, a.At(i, 0)*math.Sqrt(rest))
				}
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				u := started(t, v.method, stack(a, ax), stack(y, ya), opt)
				if err := u.RemoveInputs(ax, ya); err != nil {
					t.Fatalf("rest %g, q=%d: %v", rest, q, err)
				}
				checkSteps(t, u, Model(v.method, ActionRemove, opt, Shape{L: l + q, K: k, Q: q, C: c}))
				checkTriangles(t, u)
				// 1-h is the eigenvalue of the kept part of the column, about l rest,
				// beside what q rows add.
				left := float64(l) * rest / float64(l+q)
				bound := v.inverseBound(l+q, 20) + 1e3*dense.Eps/left
				checkWeights(t, u, a, y, 0, bound, rest, q)
			}
		}
	})
}

// TestInverseRemovalInParts removes rows of which each block, where they are removed in blocks or one
// by one, leaves a millionth of what is known in one direction, and all together much less.
func TestInverseRemovalInParts(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, l = 45, 60
		for _, q := range []int{3, 150} {
			r := rand.New(rand.NewPCG(63, uint64(q)))
			a, y, ax, ya := testutil.Random(r, l, k), testutil.Random(r, l, 1), testutil.Random(r, q, k), testutil.Random(r, q, 1)
			for i := range l {
				a.Set(i, 0, a.At(i, 0)*1e-6)
			}
			for i := q / 3; i < q; i++ {
				ax.Set(i, 0, ax.At(i, 0)*1e-3)
			}
			u := started(t, v.method, stack(a, ax), stack(y, ya), opt)
			before := digest(u)
			refused[*LeverageError](t, u, before, u.RemoveInputs(ax, ya))
		}
	})
}

// TestInverseWorst removes the row that makes a problem well-conditioned and adds it again: the errors
// of the state in between stay, and the condition has to be that of it, without having been asked for
// at the time.
func TestInverseWorst(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, l = 8, 60
		r, a, y := problem(64, 0, l, k, 1)
		for i := range l {
			a.Set(i, 0, a.At(i, 0)*1e-3)
		}
		ax, ya := testutil.Random(r, 1, k), testutil.Random(r, 1, 1)
		ax.Set(0, 0, 5)
		u := started(t, v.method, stack(a, ax), stack(y, ya), opt)
		if got := u.Condition().RCond; !(got > 0.01) {
			t.Errorf("reciprocal condition %.2g at first", got)
		}
		must(t, u.RemoveInputs(ax, ya))
		must(t, u.AddInputs(ax, ya))
		if got, worst := u.Condition().RCond, 1/kappaOf(a, 0); !(got <= 1.1*worst && got >= worst/(3*k)) {
			t.Errorf("reciprocal condition %.2g at last, want %.2g", got, worst)
		}
	})
}

// TestInverseNodes adds columns that are nearly combinations of those before, up to d, and compares
// with the reference at the bound for a model that starts with all columns.
func TestInverseNodes(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const l, k, c = 24, 9, 2
		for _, kappa := range []float64{10, 1e5} {
			for _, d := range []float64{1, 1e-5} {
				for _, lambda := range []float64{0, 1e-6, 0.1} {
					for _, p := range []int{1, 6, 20} {
						if lambda == 0 && k+p > l {
							continue
						}
						opt.Lambda = lambda
						r, a, y := conditioned(57, uint64(p), l, k, c, kappa)
						h := nearly(r, a, p, d)
						u := started(t, v.method, a, y, opt)
						wide := dense.Beside(a, h)
						worst := kappaOf(wide, lambda)
						name := fmt.Sprintf("κ=%g d=%g lambda=%g p=%d", kappa, d, lambda, p)
						if err := u.AddNodes(a, h, y); err != nil {
							if !is[*ConditionError](err) || worst < 1e6 {
								t.Errorf("%s: %v", name, err)
							}
							continue
						}
						checkSteps(t, u, Model(v.method, ActionNodes, opt, Shape{L: l, K: k, P: p, C: c}))
						checkTriangles(t, u)
						checkWeights(t, u, wide, y, lambda, v.inverseBound(l, worst), name)
						// What comes after uses the whole new state.
						ax, ya := testutil.Random(r, 7, k+p), testutil.Random(r, 7, c)
						if err := u.AddInputs(ax, ya); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						all := stack(wide, ax)
						bound := v.inverseBound(l+7, worstKappa(wide, all, lambda))
						if k+p > l {
							bound = v.inverseBound(l+7, worstKappa(mat.NewDense(1, k+p, nil), all, lambda))
						}
						checkWeights(t, u, all, stack(y, ya), lambda, bound, name)
					}
				}
			}
		}
	})
}

// leveragesOf returns what the state says of the rows of x.
func leveragesOf(u Updater, x *mat.Dense) ([]float64, error) {
	return driverOf(u).state.(interface {
		Leverage(x *mat.Dense) ([]float64, error)
	}).Leverage(x)
}
