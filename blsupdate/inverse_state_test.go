package blsupdate

import (
	"bytes"
	"errors"
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

// TestSweep compares the sweep of many rows at once with one row after the other, bit by bit, and the
// two ways of a step.
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
