package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// plain hides the packed products of a backend.
type plain struct{ blskernel.Backend }

// TestThinProducts compares the products with few rows with those of package gonum, in every way that
// there is.
func TestThinProducts(t *testing.T) {
	EachBackend(t, func(t *testing.T, own blskernel.Backend) {
		for _, b := range []blskernel.Backend{own, plain{own}} {
			for _, k := range []int{1, 2, 31, 32, 33, 100} {
				for _, q := range []int{1, 2, 8, 9, 32, 33, 128, 129} {
					r := rand.New(rand.NewPCG(61, uint64(k*q)))
					base := state.Base{Counter: NewCounter(b), Options: Options{Backend: b}, K: k}
					s := mat.NewSymPacked(k, Random(r, 1, k*(k+1)/2).RawMatrix().Data)
					ldx := k + 2
					x := Random(r, q, ldx)
					p := Random(r, q, k).RawMatrix().Data // what is in the result does not matter

					ridge.TimesPacked(&base, q, -2, s.RawSymPacked().Data, x.RawMatrix().Data, ldx, p)
					var want mat.Dense
					want.Mul(x.Slice(0, q, 0, k), s.Dense())
					want.Scale(-2, &want)
					// Sums of k terms of about 1.
					if diff := distance(mat.NewDense(q, k, p), &want); !(diff <= 20*float64(k+3)*dense.Eps) {
						t.Errorf("%s k=%d q=%d: X S differs by %g", cost.ProductKind(b, q), k, q, diff)
					}
					if got := base.Counter.Total(); got != cost.Gemm(q, k, k) {
						t.Errorf("%s k=%d q=%d: %g flops counted", cost.ProductKind(b, q), k, q, got.Flops())
					}

					base.Counter.Reset()
					before := s.Dense()
					ridge.AddOuter(&base, q, -0.5, p, s.RawSymPacked().Data)
					want.Reset()
					want.Mul(mat.NewDense(q, k, p).T(), mat.NewDense(q, k, p))
					size := gonummat.Norm(&want, math.Inf(1))
					want.Scale(-0.5, &want)
					want.Add(&want, before)
					if diff := distance(s.Dense(), &want); !(diff <= 2*float64(q+3)*dense.Eps*(size+10)) {
						t.Errorf("%s k=%d q=%d: S + TᵀT differs by %g", cost.RankKind(b, q), k, q, diff)
					}
					if got := base.Counter.Total(); got != cost.Gemm(k, k, q)/2 {
						t.Errorf("%s k=%d q=%d: %g flops counted", cost.RankKind(b, q), k, q, got.Flops())
					}
				}
			}
		}
	})
}

// distance returns the largest difference of two elements.
func distance(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return dense.LargestOf(d.RawMatrix().Data)
}

// TestRidgeInverseState compares Q with the inverse, on the way and after a removal.
func TestRidgeInverseState(t *testing.T) {
	EachBackend(t, func(t *testing.T, b blskernel.Backend) {
		for _, form := range []Form{Small, Large} {
			const k = 10
			r := rand.New(rand.NewPCG(62, 0))
			a := withCondition(r, 30, k, 10)
			u, err := New(RidgeInverse, a, Random(r, 30, 1), Options{Lambda: 0.1, Form: form, Backend: b})
			if err != nil {
				t.Fatal(err)
			}
			check := func(a *mat.Dense) {
				t.Helper()
				got := driverOf(u).state.(*ridge.State).Inverse().Dense()
				// (AᵀA + lambda I) Q - I, of which the bound is that of W without the factor for the
				// norm.
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
			ax := Random(r, 7, k)
			if err := u.AddInputs(ax, Random(r, 7, 1)); err != nil {
				t.Fatal(err)
			}
			check(stack(a, ax))
			if err := u.Forget(0.25); err != nil {
				t.Fatal(err)
			}
			half := stack(a, ax)
			half.Scale(0.5, half)
			check(half)
			if err := u.RemoveInputs(dense.RowRange(half, 30, 37), mat.NewDense(7, 1, nil)); err != nil {
				t.Fatal(err)
			}
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
		want := Small
		if cost.SumOf(cost.RidgeLarge(q, k, c)) < cost.SumOf(cost.RidgeSmall(Options{}, q, k, c)) {
			want, large = Large, large+1
		} else {
			small++
		}
		if got := cost.RidgeForm(Auto, q, k, c); got != want {
			t.Fatalf("q=%d: %v", q, got)
		}
	}
	if crossing := float64(small) / k; !(crossing > 0.7 && crossing < 0.9) || large == 0 {
		t.Errorf("the forms cross at q = %.2f k", crossing)
	}
	for _, q := range []int{k, k + 1} {
		if got := cost.RidgeForm(Paper, q, k, c); (got == Small) != (q <= k) {
			t.Errorf("Paper, q=%d: %v", q, got)
		}
	}
}

var _ blas.Float64 = plain{}
