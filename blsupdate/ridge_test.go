package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// TestRidgeInverseState compares Q with the inverse, on the way and after a removal.
func TestRidgeInverseState(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, form := range []Form{Small, Large} {
			const k = 10
			r := rand.New(rand.NewPCG(62, 0))
			a := testutil.WithCondition(r, 30, k, 10)
			u := started(t, RidgeInverse, a, testutil.Random(r, 30, 1), Options{Lambda: 0.1, Form: form, Backend: b})
			check := func(a *mat.Dense) {
				t.Helper()
				got := driverOf(u).state.(*ridge.State).Q.Dense()
				got.Scale(driverOf(u).state.(*ridge.State).Gain, got)
				// (AᵀA + lambda I) Q - I, of which the bound is that of W without the
				// factor for the norm.
				var g mat.Dense
				g.Mul(a.T(), a)
				for i := range k {
					g.Set(i, i, g.At(i, i)+u.Lambda())
				}
				g.Mul(&g, got)
				for i := range k {
					g.Set(i, i, g.At(i, i)-1)
				}
				if diff := dense.LargestOf(g.RawMatrix().Data); !(diff <= 10*math.Sqrt(float64(dense.Rows(a)))*dense.Eps*1000) {
					t.Errorf("%v: (A'A + lambda I) Q differs from I by %g", form, diff)
				}
			}
			check(a)
			ax := testutil.Random(r, 7, k)
			must(t, u.AddInputs(ax, testutil.Random(r, 7, 1)))
			check(stack(a, ax))
			must(t, u.Forget(0.25))
			half := stack(a, ax)
			half.Scale(0.5, half)
			check(half)
			must(t, u.RemoveInputs(dense.RowRange(half, 30, 37), mat.NewDense(7, 1, nil)))
			a.Scale(0.5, a)
			check(a)
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
