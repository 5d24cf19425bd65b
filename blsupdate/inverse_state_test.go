package blsupdate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// TestInverseState checks that what is kept is the inverse: (AᵀA + lambda I) Q = I, at the start, after
// additions, forgetting and removals.
func TestInverseState(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k = 70
		for _, kappa := range []float64{10, 1e4} {
			if v.method == RidgeInverse && kappa > 10 {
				continue // which loses κ² in Q, and as much again in the product
			}
			opt.Lambda = 1e-6
			r, a, y := conditioned(70, 0, 100, k, 1, kappa)
			u := started(t, v.method, a, y, opt)
			if start := u.Report().Start; (start == StartCholesky) != (kappa == 10) {
				t.Errorf("κ=%g: start by %v", kappa, start)
			}
			check := func(what string, a *mat.Dense) {
				t.Helper()
				var q, g mat.Dense
				switch s := driverOf(u).state.(type) {
				case *ridge.State:
					q.Scale(s.Gain, s.Q.Dense())
				case *cholesky.State:
					q.Mul(s.L.T(), s.L)
					q.Scale(s.Gain*s.Gain, &q)
				}
				g.Mul(a.T(), a)
				g.Add(&g, dense.ScaledIdentity(k, u.Lambda()))
				g.Mul(&g, &q)
				g.Sub(&g, dense.ScaledIdentity(k, 1))
				worst := min(kappa, 1e3)
				if diff := dense.LargestOf(g.RawMatrix().Data); !(diff <= 10*math.Sqrt(float64(dense.Rows(a)))*dense.Eps*worst*worst) {
					t.Errorf("κ=%g, %s: (A'A + lambda I) Q differs from I by %g", kappa, what, diff)
				}
			}
			check("start", a)
			ax := testutil.WithCondition(r, k, k, kappa)
			for _, rows := range [][2]int{{0, 1}, {1, 5}, {5, k}} {
				must(t, u.AddInputs(dense.RowRange(ax, rows[0], rows[1]), mat.NewDense(rows[1]-rows[0], 1, nil)))
				check("addition", stack(a, dense.RowRange(ax, 0, rows[1])))
			}
			must(t, u.Forget(0.25))
			a.Scale(0.5, a)
			ax.Scale(0.5, ax)
			check("forgetting", stack(a, ax))
			for _, rows := range [][2]int{{k - 1, k}, {k - 4, k - 1}, {10, k - 4}} {
				must(t, u.RemoveInputs(dense.RowRange(ax, rows[0], rows[1]), mat.NewDense(rows[1]-rows[0], 1, nil)))
				check("removal", stack(a, dense.RowRange(ax, 0, rows[0])))
			}
		}
	})
}

// TestSweep compares the sweep of many rows at once with one row after the other, bit by bit.
func TestSweep(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, q = 200, 5
		r, a, y := problem(71, 0, k+20, k, 1)
		ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 1)
		opt := Options{Form: Small, Backend: b}
		var us [2]Updater
		for i := range us {
			u := started(t, InverseCholesky, a, y, opt)
			us[i] = u
		}
		must(t, us[0].AddInputs(ax, ya))
		for i := range q {
			must(t, us[1].AddInputs(dense.RowRange(ax, i, i+1), dense.RowRange(ya, i, i+1)))
		}
		s0, s1 := driverOf(us[0]).state.(*cholesky.State), driverOf(us[1]).state.(*cholesky.State)
		if !gonummat.Equal(s0.L, s1.L) || !gonummat.Equal(s0.W, s1.W) {
			t.Error("rows at once give another result than one by one")
		}
	})
}

// TestInverseCholeskyLargeRows checks that rows for which I + SᵀS would have no digits are added by a
// QR factorization, and that the report says so.
func TestInverseCholeskyLargeRows(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k = 12
		r, a, y := conditioned(72, 0, 40, k, 2, 10)
		for _, q := range []int{1, k, 2 * k} {
			u := started(t, InverseCholesky, a, y, Options{Form: Large, Backend: b})
			all, targets := a, y
			for _, size := range []float64{1, 1e4} {
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 2)
				ax.Scale(size/dense.Norm(ax.RawMatrix().Data), ax)
				must(t, u.AddInputs(ax, ya))
				checkSteps(t, u, stepFlops(append([]cost.StepFlops{cost.Check(q, k, 2)}, cost.CholeskyAdd(api.Large, q, k, 2, size > 1)...)))
				all, targets = stack(all, ax), stack(targets, ya)
				bound := 10 * math.Sqrt(float64(dense.Rows(all))) * dense.Eps * worstKappa(a, all, 0)
				checkWeights(t, u, all, targets, 0, bound, q, size)
			}
		}
	})
}

// TestInverseCholeskyForm checks the crossing of the forms.
func TestInverseCholeskyForm(t *testing.T) {
	for _, k := range []int{1, 13, 14, 100, 1400} {
		for q := 1; q <= k+1; q++ {
			if got := cost.CholeskyForm(api.Auto, q, k); (got == api.Small) != (q == 1 || 14*q <= k) {
				t.Fatalf("k=%d q=%d: %v", k, q, got)
			}
		}
	}
	if cost.CholeskyForm(api.Paper, 5, 5) != api.Small || cost.CholeskyForm(api.Paper, 6, 5) != api.Large {
		t.Error("Paper takes Small for q <= k")
	}
}

// hugeCells overwrites some cells of x by numbers of 1e24 to 1e36.
func hugeCells(r *rand.Rand, x *mat.Dense, cells int) {
	rows, cols := x.Dims()
	for range cells {
		x.Set(r.IntN(rows), r.IntN(cols), math.Pow(10, 24+12*r.Float64()))
	}
}

// TestInverseCholeskyBounds adds rows as large as 1e36 to a model with a small ridge, where I + SᵀS has
// nothing left of the I: what has been computed of F is then no F any more and may be larger than the
// old one, which no addition makes of it. That is an error and the state is what it was, or the bound
// that is kept of F is one; what is kept can be written and read.
func TestInverseCholeskyBounds(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		refused := 0
		for _, form := range []Form{Small, Large, Auto} {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 91))
				k, q, lambda := 30, 20, 0x1p-30
				if seed%4 == 3 {
					k, lambda = 10, 1.0
				}
				u := started(t, InverseCholesky, testutil.Random(r, 60, k), testutil.Random(r, 60, 2), Options{Lambda: lambda, Form: form, Backend: b})
				start := driverOf(u).state.(*cholesky.State).Most * 1.05
				for range 4 {
					ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 2)
					if seed%4 == 3 {
						ax.Scale(1e17, ax)
					} else {
						hugeCells(r, ax, 5)
					}
					before := digest(u)
					err := u.AddInputs(ax, ya)
					switch {
					case err == nil:
					case !is[*ConditionError](err) && !errors.Is(err, ErrOverflow):
						t.Fatal(err)
					case digest(u) != before:
						t.Fatalf("%v, seed %d: the state has changed (%v)", form, seed, err)
					default:
						refused++
					}
					s := driverOf(u).state.(*cholesky.State)
					if got, bound := dense.Norm(s.L.RawMatrix().Data), s.Most; !(got <= bound*(1+1e-14) && bound <= start) {
						t.Errorf("%v, seed %d: the norm of F is %g, its bound %g, and at the start it was %g", form, seed, got, bound, start)
					}
					data := encoded(t, u)
					if !bytes.Equal(encoded(t, decoded(t, data, b)), data) {
						t.Fatalf("%v, seed %d: read as something else", form, seed)
					}
				}
			}
		}
		if refused == 0 {
			t.Error("nothing was refused")
		}
	})
}

// TestRidgeInverseForm checks that Auto takes the form with fewer flops, on both sides of the crossing,
// which for blocks of k/4 rows is where 2qk² + qk²/2 = 2k³.
func TestRidgeInverseForm(t *testing.T) {
	const k, c = 400, 1
	small, large := 0, 0
	for q := 1; q <= 2*k; q++ {
		want := api.Small
		if cost.Sum(cost.RidgeAdd(api.Options{}, api.Large, q, k, c)) < cost.Sum(cost.RidgeAdd(api.Options{}, api.Small, q, k, c)) {
			want, large = api.Large, large+1
		} else {
			small++
		}
		if got := cost.RidgeForm(api.Auto, q, k, c); got != want {
			t.Fatalf("q=%d: %v", q, got)
		}
	}
	if crossing := float64(small) / k; !(crossing > 0.7 && crossing < 0.9) || large == 0 {
		t.Errorf("the forms cross at q = %.2f k", crossing)
	}
	for _, q := range []int{k, k + 1} {
		if got := cost.RidgeForm(api.Paper, q, k, c); (got == api.Small) != (q <= k) {
			t.Errorf("Paper, q=%d: %v", q, got)
		}
	}
}

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
			refused(t, u, before, err, isOverflow)
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
