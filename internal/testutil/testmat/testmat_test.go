package testmat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFamilies checks that matrices have the Frobenius norm of their spectrum, that symmetric families
// are symmetric, and that the ratios detect a wrong factor.
func TestFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 2))
	for _, s := range Spectra() {
		for _, n := range []int{1, 2, 9, 30} {
			want := 0.0
			for i := range n {
				want = math.Hypot(want, s.At(n, i))
			}
			for _, a := range []*Matrix{s.Symmetric(rng, n), s.General(rng, n, n+3), s.General(rng, 2*n, n)} {
				got := 0.0
				for _, v := range a.X {
					got = math.Hypot(got, v/s.Scale)
				}
				if !(math.Abs(got-want) <= 1e-12*want) {
					t.Errorf("%s: n=%d: the norm of a %d×%d matrix is %g, want %g", s.Name, n, a.R, a.C, got, want)
				}
			}
		}
	}
	for _, f := range append(Eigen(), Symmetric()...) {
		for _, n := range []int{0, 1, 5, 42} {
			if a := f.Of(rng, n); a.R != n || !SameBits(a.X, a.T().X) {
				t.Errorf("%s: n=%d: not symmetric", f.Name, n)
			}
		}
	}
	eye, ones := Identity(3), []float64{1, 1, 1}
	ratios := func(a *Matrix) []float64 {
		return []float64{EigenRatio(a, ones, eye), ProductRatio(a, eye, eye), OrthogonalRatio(a), InverseRatio(a, eye), ResidualRatio(a, eye, eye)}
	}
	for k, r := range ratios(eye) {
		if wrong := ratios(eye.Scaled(1 + 1e-12))[k]; r != 0 || !(wrong > Bound) {
			t.Errorf("ratio %d of I is %g, and %g with an error of 1e-12", k, r, wrong)
		}
	}
}
